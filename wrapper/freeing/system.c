// SPDX-License-Identifier: MIT
// The other half of the library beside: it tells the wrapper of system calls that are given memory
// of the program's, since the system finds pages there that the guard has forbidden, and fails.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

// The wrapper's; there are none in programs without it.
extern int mpipp_guards_buffers __attribute__((weak));
extern int mpipp_system_is_programs(void) __attribute__((weak));
extern int mpipp_system_begins(uint64_t start, uint64_t bytes, int stores) __attribute__((weak));
extern void mpipp_system_has_used(uint64_t start, uint64_t bytes, int stores, uint64_t caller)
    __attribute__((weak));

enum { LOADS, STORES, MOST = 64 };

// Memory that a call is given, part by part.
struct use {
  struct iovec parts[MOST];
  int count, stores, is_met;
};

static int looks(void) {
  return &mpipp_guards_buffers && __atomic_load_n(&mpipp_guards_buffers, __ATOMIC_RELAXED) &&
         mpipp_system_is_programs();
}

static void begin(struct use *use) {
  for (int i = 0; i < use->count; i++)
    use->is_met |= mpipp_system_begins((uint64_t)(uintptr_t)use->parts[i].iov_base,
                                       use->parts[i].iov_len, use->stores);
}

// Of all parts only so many bytes were used.
static void end(const struct use *use, ssize_t bytes, void *caller) {
  uint64_t left = bytes > 0 ? (uint64_t)bytes : 0;
  for (int i = 0; i < use->count && left; i++) {
    uint64_t length = use->parts[i].iov_len < left ? use->parts[i].iov_len : left;
    mpipp_system_has_used((uint64_t)(uintptr_t)use->parts[i].iov_base, length, use->stores,
                          (uint64_t)(uintptr_t)caller);
    left -= length;
  }
}

static void begin_one(struct use *use, const void *memory, size_t bytes, int stores) {
  use->count = use->is_met = 0;
  if (!looks()) return;
  use->parts[0] = (struct iovec){(void *)(uintptr_t)memory, bytes};
  use->count = 1;
  use->stores = stores;
  begin(use);
}

// Memory that may not be there: that is for the system to say.
static int fetch(void *to, const void *from, size_t bytes) {
  struct iovec local = {to, bytes}, remote = {(void *)(uintptr_t)from, bytes};
  int saved = errno, done = process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)bytes;
  errno = saved;
  return done;
}

static void begin_all(struct use *use, const struct iovec *parts, int64_t count, int stores) {
  use->count = use->is_met = 0;
  if (!looks() || count < 1) return;
  size_t bytes = (size_t)(count < MOST ? count : MOST) * sizeof *parts;
  if (!fetch(use->parts, parts, bytes)) return;
  use->count = (int)(bytes / sizeof *parts);
  use->stores = stores;
  begin(use);
}

static void begin_message(struct use *use, const struct msghdr *message, int stores) {
  struct msghdr copy;
  use->count = use->is_met = 0;
  if (looks() && fetch(&copy, message, sizeof copy))
    begin_all(use, copy.msg_iov, (int64_t)copy.msg_iovlen, stores);
}

#define EXPORTED __attribute__((visibility("default")))
// A function of the C library's: its parameters, what they are called by, how its memory is taken
// down before it, and how many bytes a result stands for. It may be called before its constructor.
#define FUNCTION(TYPE, NAME, PARAMETERS, ARGUMENTS, BEGIN, UNIT)                                   \
  static TYPE(*NAME##_next) PARAMETERS;                                                            \
  __attribute__((constructor)) static void find_##NAME(void) {                                     \
    *(void **)&NAME##_next = dlsym(RTLD_NEXT, #NAME);                                              \
  }                                                                                                \
  EXPORTED TYPE NAME PARAMETERS;                                                                   \
  EXPORTED TYPE NAME PARAMETERS {                                                                  \
    if (!NAME##_next) find_##NAME();                                                               \
    struct use use;                                                                                \
    BEGIN;                                                                                         \
    TYPE result = NAME##_next ARGUMENTS;                                                           \
    if (use.is_met) end(&use, (ssize_t)result *(UNIT), __builtin_return_address(0));               \
    return result;                                                                                 \
  }

FUNCTION(ssize_t, read, (int fd, void *to, size_t n), (fd, to, n), begin_one(&use, to, n, STORES),
         1)
FUNCTION(ssize_t, __read_chk, (int fd, void *to, size_t n, size_t room), (fd, to, n, room),
         begin_one(&use, to, n, STORES), 1)
FUNCTION(ssize_t, pread, (int fd, void *to, size_t n, off_t at), (fd, to, n, at),
         begin_one(&use, to, n, STORES), 1)
FUNCTION(ssize_t, pread64, (int fd, void *to, size_t n, off_t at), (fd, to, n, at),
         begin_one(&use, to, n, STORES), 1)
FUNCTION(ssize_t, readv, (int fd, const struct iovec *parts, int count), (fd, parts, count),
         begin_all(&use, parts, count, STORES), 1)
FUNCTION(ssize_t, recv, (int fd, void *to, size_t n, int flags), (fd, to, n, flags),
         begin_one(&use, to, n, STORES), 1)
FUNCTION(ssize_t, recvfrom,
         (int fd, void *to, size_t n, int flags, struct sockaddr *from, socklen_t *length),
         (fd, to, n, flags, from, length), begin_one(&use, to, n, STORES), 1)
FUNCTION(ssize_t, recvmsg, (int fd, struct msghdr *message, int flags), (fd, message, flags),
         begin_message(&use, message, STORES), 1)
FUNCTION(size_t, fread, (void *to, size_t size, size_t n, FILE *file), (to, size, n, file),
         begin_one(&use, to, size *n, STORES), (ssize_t)size)

FUNCTION(ssize_t, write, (int fd, const void *from, size_t n), (fd, from, n),
         begin_one(&use, from, n, LOADS), 1)
FUNCTION(ssize_t, pwrite, (int fd, const void *from, size_t n, off_t at), (fd, from, n, at),
         begin_one(&use, from, n, LOADS), 1)
FUNCTION(ssize_t, pwrite64, (int fd, const void *from, size_t n, off_t at), (fd, from, n, at),
         begin_one(&use, from, n, LOADS), 1)
FUNCTION(ssize_t, writev, (int fd, const struct iovec *parts, int count), (fd, parts, count),
         begin_all(&use, parts, count, LOADS), 1)
FUNCTION(ssize_t, send, (int fd, const void *from, size_t n, int flags), (fd, from, n, flags),
         begin_one(&use, from, n, LOADS), 1)
FUNCTION(ssize_t, sendto,
         (int fd, const void *from, size_t n, int flags, const struct sockaddr *to,
          socklen_t length),
         (fd, from, n, flags, to, length), begin_one(&use, from, n, LOADS), 1)
FUNCTION(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags),
         begin_message(&use, message, LOADS), 1)
FUNCTION(size_t, fwrite, (const void *from, size_t size, size_t n, FILE *file),
         (from, size, n, file), begin_one(&use, from, size *n, LOADS), (ssize_t)size)
