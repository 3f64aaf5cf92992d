// SPDX-License-Identifier: MIT
// Memory that the program hands to the system while an operation has it. What
// libc_interposer/syscalls.c, which is a library of its own, finds here by name.
#ifndef MPIPP_BUFFER_GUARD_REPORTING_SYSCALLS_H
#define MPIPP_BUFFER_GUARD_REPORTING_SYSCALLS_H

#include <stdint.h>

// Whether the thread is outside of MPI.
int mpipp_system_is_programs(void) __attribute__((visibility("default")));
// A system call is about to load, or to store, some of these bytes: it is allowed to. Returns
// whether the program is not.
int mpipp_system_begins(uint64_t start, uint64_t bytes, int stores)
    __attribute__((visibility("default")));
// It has done so with these; caller: the return address of the function that made it.
void mpipp_system_has_used(uint64_t start, uint64_t bytes, int stores, uint64_t caller)
    __attribute__((visibility("default")));
// What these pages have is about to be dropped, or may be from now on: the system does so with the
// program's own alone.
void mpipp_system_is_advised(uint64_t start, uint64_t bytes) __attribute__((visibility("default")));
// They are about to be mapped anew, by the program if not by the guard.
void mpipp_system_is_mapped(uint64_t start, uint64_t bytes, uint64_t caller)
    __attribute__((visibility("default")));
// The system may have been given them back.
void mpipp_system_may_have(uint64_t start, uint64_t bytes) __attribute__((visibility("default")));
// What the program may do with these pages is about to be said by the program itself.
void mpipp_system_is_protected(uint64_t start, uint64_t bytes)
    __attribute__((visibility("default")));
// The program has made a ring of requests to the system (io_uring.h).
void mpipp_system_has_ring(void) __attribute__((visibility("default")));
// The same of memory that is forbidden for other reasons.
extern int (*mpipp_guard_system_opens)(uint64_t start, uint64_t bytes)
    __attribute__((visibility("hidden")));
extern void (*mpipp_guard_system_logs)(uint64_t start, uint64_t bytes, int stores, uint64_t caller)
    __attribute__((visibility("hidden")));

#endif
