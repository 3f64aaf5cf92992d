// SPDX-License-Identifier: MIT
// gdb stops the test programs at a breakpoint in mark(), and reads the caller's variables.
#ifndef MARK_H
#define MARK_H

__attribute__((noinline, noclone)) static void mark(void) {
  __asm__ volatile("" ::: "memory");
}

#endif
