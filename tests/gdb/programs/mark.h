// SPDX-License-Identifier: MIT
// Where tests stop: gdb breaks on mark() and looks at the caller's variables.
#ifndef MARK_H
#define MARK_H

__attribute__((noinline, noclone)) static void mark(void) {
  __asm__ volatile("" ::: "memory");
}

#endif
