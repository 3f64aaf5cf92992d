// SPDX-License-Identifier: MIT
// Functions of the C library that are system calls with memory of the program.
#define _GNU_SOURCE
#undef _FORTIFY_SOURCE // its inline functions would have the names of the functions here
#include "libc_interposer/fork.h"
#include "libc_interposer/syscall_ranges.h"

#ifdef __x86_64__
#include <dlfcn.h>
#include <errno.h>
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <unistd.h>

#undef fread_unlocked
#undef fwrite_unlocked
#define EXPORTED __attribute__((visibility("default")))
// Defines such a function: its type, name, parameters, arguments, the arguments as numbers, and the
// system call that has these arguments. The function may be called before its constructor has run.
#define FUNCTION(TYPE, NAME, PARAMETERS, ARGUMENTS, WORDS, NUMBER)                                 \
  static TYPE(*NAME##_next) PARAMETERS;                                                            \
  __attribute__((constructor)) static void find_##NAME(void) {                                     \
    *(void **)&NAME##_next = dlsym(RTLD_NEXT, #NAME);                                              \
  }                                                                                                \
  EXPORTED TYPE NAME PARAMETERS;                                                                   \
  EXPORTED TYPE NAME PARAMETERS {                                                                  \
    struct mpipp_use use = {.words = WORDS};                                                       \
    if (!NAME##_next) find_##NAME();                                                               \
    int is_met = mpipp_use_begins(&use, NUMBER);                                                   \
    TYPE result = NAME##_next ARGUMENTS;                                                           \
    if (is_met) mpipp_use_ends(&use, (long)result, __builtin_return_address(0));                   \
    return result;                                                                                 \
  }
#define W(X) (long)(X)
#define ONE(T, NAME, A, NUMBER) FUNCTION(T, NAME, (A a), (a), {W(a)}, NUMBER)
#define WORDS_2                                                                                    \
  { W(a), W(b) }
#define TWO(T, NAME, A, B, NUMBER) FUNCTION(T, NAME, (A a, B b), (a, b), WORDS_2, NUMBER)
#define WORDS_3                                                                                    \
  { W(a), W(b), W(c) }
#define THREE(T, NAME, A, B, C, NUMBER)                                                            \
  FUNCTION(T, NAME, (A a, B b, C c), (a, b, c), WORDS_3, NUMBER)
#define WORDS_4                                                                                    \
  { W(a), W(b), W(c), W(d) }
#define FOUR(T, NAME, A, B, C, D, NUMBER)                                                          \
  FUNCTION(T, NAME, (A a, B b, C c, D d), (a, b, c, d), WORDS_4, NUMBER)
#define WORDS_5                                                                                    \
  { W(a), W(b), W(c), W(d), W(e) }
#define FIVE(T, NAME, A, B, C, D, E, NUMBER)                                                       \
  FUNCTION(T, NAME, (A a, B b, C c, D d, E e), (a, b, c, d, e), WORDS_5, NUMBER)
#define WORDS_6                                                                                    \
  { W(a), W(b), W(c), W(d), W(e), W(f) }
#define SIX(T, NAME, A, B, C, D, E, F, NUMBER)                                                     \
  FUNCTION(T, NAME, (A a, B b, C c, D d, E e, F f), (a, b, c, d, e, f), WORDS_6, NUMBER)

typedef void *to;
typedef const void *from;
typedef const char *name;
typedef const struct iovec *parts;
typedef struct sockaddr *address;
typedef const struct sockaddr *peer;
typedef struct stat *status;
typedef unsigned long number;

THREE(ssize_t, read, int, to, size_t, SYS_read)
FOUR(ssize_t, __read_chk, int, to, size_t, size_t, SYS_read)
FOUR(ssize_t, pread, int, to, size_t, off_t, SYS_pread64)
FOUR(ssize_t, pread64, int, to, size_t, off_t, SYS_pread64)
FIVE(ssize_t, __pread_chk, int, to, size_t, off_t, size_t, SYS_pread64)
FIVE(ssize_t, __pread64_chk, int, to, size_t, off_t, size_t, SYS_pread64)
THREE(ssize_t, readv, int, parts, int, SYS_readv)
FOUR(ssize_t, preadv, int, parts, int, off_t, SYS_preadv)
FOUR(ssize_t, preadv64, int, parts, int, off_t, SYS_preadv)
FIVE(ssize_t, preadv2, int, parts, int, off_t, int, SYS_preadv2)
FIVE(ssize_t, preadv64v2, int, parts, int, off_t, int, SYS_preadv2)
FOUR(ssize_t, recv, int, to, size_t, int, SYS_recvfrom) // the system call is recvfrom, with four
                                                        // arguments
FIVE(ssize_t, __recv_chk, int, to, size_t, size_t, int, SYS_read)
SIX(ssize_t, recvfrom, int, to, size_t, int, address, socklen_t *, SYS_recvfrom)
THREE(ssize_t, recvmsg, int, struct msghdr *, int, SYS_recvmsg)
FIVE(int, recvmmsg, int, struct mmsghdr *, unsigned, int, struct timespec *, SYS_recvmmsg)
FOUR(size_t, fread, to, size_t, size_t, FILE *, MPIPP_SYSTEM_FREAD)
FOUR(size_t, fread_unlocked, to, size_t, size_t, FILE *, MPIPP_SYSTEM_FREAD)
FUNCTION(ssize_t, __recvfrom_chk,
         (int a, to b, size_t c, size_t room, int d, address e, socklen_t *f),
         (a, b, c, room, d, e, f), WORDS_6, SYS_recvfrom)
FUNCTION(size_t, __fread_chk, (to a, size_t room, size_t b, size_t c, FILE *d), (a, room, b, c, d),
         WORDS_4, MPIPP_SYSTEM_FREAD)

THREE(ssize_t, write, int, from, size_t, SYS_write)
FOUR(ssize_t, pwrite, int, from, size_t, off_t, SYS_pwrite64)
FOUR(ssize_t, pwrite64, int, from, size_t, off_t, SYS_pwrite64)
THREE(ssize_t, writev, int, parts, int, SYS_writev)
FOUR(ssize_t, pwritev, int, parts, int, off_t, SYS_pwritev)
FOUR(ssize_t, pwritev64, int, parts, int, off_t, SYS_pwritev)
FIVE(ssize_t, pwritev2, int, parts, int, off_t, int, SYS_pwritev2)
FIVE(ssize_t, pwritev64v2, int, parts, int, off_t, int, SYS_pwritev2)
FOUR(ssize_t, vmsplice, int, parts, size_t, unsigned, SYS_vmsplice)
FOUR(ssize_t, send, int, from, size_t, int, SYS_sendto)
SIX(ssize_t, sendto, int, from, size_t, int, peer, socklen_t, SYS_sendto)
THREE(ssize_t, sendmsg, int, const struct msghdr *, int, SYS_sendmsg)
FOUR(int, sendmmsg, int, struct mmsghdr *, unsigned, int, SYS_sendmmsg)
FOUR(size_t, fwrite, from, size_t, size_t, FILE *, MPIPP_SYSTEM_FWRITE)
FOUR(size_t, fwrite_unlocked, from, size_t, size_t, FILE *, MPIPP_SYSTEM_FWRITE)

SIX(ssize_t, process_vm_readv, pid_t, parts, number, parts, number, number, SYS_process_vm_readv)
SIX(ssize_t, process_vm_writev, pid_t, parts, number, parts, number, number, SYS_process_vm_writev)
THREE(ssize_t, getrandom, to, size_t, unsigned, SYS_getrandom)
TWO(char *, getcwd, char *, size_t, SYS_getcwd)
THREE(ssize_t, readlink, name, char *, size_t, SYS_readlink)
FOUR(ssize_t, readlinkat, int, name, char *, size_t, SYS_readlinkat)
THREE(char *, __getcwd_chk, char *, size_t, size_t, SYS_getcwd)
FOUR(ssize_t, __readlink_chk, name, char *, size_t, size_t, SYS_readlink)
FIVE(ssize_t, __readlinkat_chk, int, name, char *, size_t, size_t, SYS_readlinkat)

TWO(int, stat, name, status, SYS_stat)
TWO(int, stat64, name, struct stat64 *, SYS_stat)
TWO(int, lstat, name, status, SYS_lstat)
TWO(int, lstat64, name, struct stat64 *, SYS_lstat)
TWO(int, fstat, int, status, SYS_fstat)
TWO(int, fstat64, int, struct stat64 *, SYS_fstat)
FOUR(int, fstatat, int, name, status, int, SYS_newfstatat)
FOUR(int, fstatat64, int, name, struct stat64 *, int, SYS_newfstatat)
THREE(int, __xstat, int, name, status, MPIPP_SYSTEM_XSTAT)
THREE(int, __xstat64, int, name, struct stat64 *, MPIPP_SYSTEM_XSTAT)
THREE(int, __lxstat, int, name, status, MPIPP_SYSTEM_XSTAT)
THREE(int, __lxstat64, int, name, struct stat64 *, MPIPP_SYSTEM_XSTAT)
THREE(int, __fxstat, int, int, status, MPIPP_SYSTEM_XSTAT)
THREE(int, __fxstat64, int, int, struct stat64 *, MPIPP_SYSTEM_XSTAT)
FIVE(int, statx, int, name, int, unsigned, struct statx *, SYS_statx)
TWO(int, statfs, name, struct statfs *, SYS_statfs)
TWO(int, fstatfs, int, struct statfs *, SYS_fstatfs)
ONE(int, uname, struct utsname *, SYS_uname)
ONE(int, sysinfo, struct sysinfo *, SYS_sysinfo)
ONE(clock_t, times, struct tms *, SYS_times)
TWO(int, getrusage, __rusage_who_t, struct rusage *, SYS_getrusage)

FIVE(int, getsockopt, int, int, int, to, socklen_t *, SYS_getsockopt)
FIVE(int, setsockopt, int, int, int, from, socklen_t, SYS_setsockopt)
THREE(int, getsockname, int, address, socklen_t *, SYS_getsockname)
THREE(int, getpeername, int, address, socklen_t *, SYS_getpeername)
THREE(int, accept, int, address, socklen_t *, SYS_accept)
FOUR(int, accept4, int, address, socklen_t *, int, SYS_accept4)
THREE(int, poll, struct pollfd *, nfds_t, int, SYS_poll)
FOUR(int, __poll_chk, struct pollfd *, nfds_t, int, size_t, SYS_poll)
FOUR(int, ppoll, struct pollfd *, nfds_t, const struct timespec *, const sigset_t *, SYS_ppoll)
FOUR(int, epoll_wait, int, struct epoll_event *, int, int, SYS_epoll_wait)
FIVE(int, epoll_pwait, int, struct epoll_event *, int, int, const sigset_t *, SYS_epoll_pwait)
FOUR(int, epoll_ctl, int, int, int, struct epoll_event *, SYS_epoll_ctl)
FUNCTION(int, pipe, (int a[2]), (a), {W(a)}, SYS_pipe)
FUNCTION(int, pipe2, (int a[2], int b), (a, b), WORDS_2, SYS_pipe2)

// Returns whether the call creates a process with a copy of the program's memory and its own table
// of files, which continues after the call.
__attribute__((used)) static int is_fork(long call, long a, long b) {
  struct clone_args all;
  if (call == SYS_clone) return !(a & (CLONE_VM | CLONE_FILES)) && !b;
  if (call != SYS_clone3) return call == SYS_fork;
  if (!mpipp_fetch(&all, (uint64_t)a, (uint64_t)b < sizeof all ? (size_t)b : sizeof all)) return 0;
  return !(all.flags & (CLONE_VM | CLONE_FILES)) && !all.stack;
}

// The function syscall, by which programs make any system call. In a new thread or process it may
// return on another stack, which lacks the frame of a C function. So it is written in assembly.
extern void mpipp_system_note_ring(void) __attribute__((weak));
static long (*syscall_next)(long, ...);

__attribute__((constructor)) static void find_syscall(void) {
  *(void **)&syscall_next = dlsym(RTLD_NEXT, "syscall");
}

__attribute__((used)) static long by_number(long call, long a, long b, long c, long d, long e,
                                            long f) {
  struct mpipp_use use = {.words = WORDS_6};
  if (!syscall_next) find_syscall();
  if (call == SYS_madvise) mpipp_note_advice((uint64_t)a, (uint64_t)b, (int)c);
  int is_met = mpipp_use_begins(&use, call), is_told = is_fork(call, a, b) && mpipp_fork_prepare();
  long result = syscall_next(call, a, b, c, d, e, f);
  mpipp_fork_finish(is_told, result == 0);
  if (is_met) mpipp_use_ends(&use, result, __builtin_return_address(0));
  if (call == SYS_io_uring_setup && result >= 0 && &mpipp_system_note_ring)
    mpipp_system_note_ring();
  return result;
}

__attribute__((naked)) EXPORTED long syscall(long call __attribute__((unused)), ...) {
  __asm__(
      "cmpq %0, %%rdi\n\tje 1f\n\t"
      "cmpq %1, %%rdi\n\tje 1f\n\t"
      "cmpq %2, %%rdi\n\tje 1f\n\t"
      "jmp %P3\n"
      "1:\tpushq %%rdi\n\tpushq %%rsi\n\tpushq %%rdx\n\tpushq %%rcx\n\tpushq %%r8\n\t"
      "pushq %%r9\n\tsubq $8, %%rsp\n\tcall %P5\n\taddq $8, %%rsp\n\tpopq %%r9\n\tpopq %%r8\n\t"
      "popq %%rcx\n\tpopq %%rdx\n\tpopq %%rsi\n\tpopq %%rdi\n\ttestl %%eax, %%eax\n\tjne %P3\n\t"
      "movq %4, %%rax\n\ttestq %%rax, %%rax\n\tje %P3\n\tjmp *%%rax"
      :
      : "i"(SYS_clone), "i"(SYS_clone3), "i"(SYS_vfork), "i"(by_number), "m"(syscall_next),
        "i"(is_fork));
}
#endif
