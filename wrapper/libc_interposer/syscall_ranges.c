// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "libc_interposer/syscall_ranges.h"

#ifdef __x86_64__ // on other processors no page is protected
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <unistd.h>

// Functions of the wrapper, which are missing in programs without it.
extern int mpipp_guards_buffers __attribute__((weak));
extern int mpipp_system_is_outside_mpi(void) __attribute__((weak));
extern int mpipp_system_begin_use(uint64_t start, uint64_t bytes, int stores) __attribute__((weak));
extern void mpipp_system_note_use(uint64_t start, uint64_t bytes, int stores, uint64_t caller)
    __attribute__((weak));
extern const void *mpipp_order_reader(void) __attribute__((weak));

enum { LOADS, STORES };
enum mpipp_system_kind {
  NONE,
  WHOLE,    // `size` bytes, times the value of an argument
  RESULT,   // at most `size` bytes: the result of the call is the number of bytes used
  TEXT,     // a string, up to its NUL
  LENGTH,   // the argument `count` is the address of the length
  PARTS,    // an array of struct iovec: the result of the call is the number of bytes used
  MESSAGE,  // a struct msghdr: the result of the call is the number of bytes used
  MESSAGES, // an array of struct mmsghdr, which have the numbers of bytes: the result of the call
            // is the number of structs used
};
enum { ONCE = MPIPP_SYSTEM_WORDS }; // in place of an argument's index: the value 1
#define NOT_YET LONG_MAX            // in place of the result before the call

struct mpipp_system_memory {
  uint8_t kind, stores, at, count; // indices of the arguments with the address and the count
  uint32_t size;                   // 0: the second argument is the size
};

struct mpipp_system {
  long number;
  struct mpipp_system_memory memory[2];
};

// The checked system calls. Arguments such as file names are left out, because no program keeps
// them in a communication buffer.
static const struct mpipp_system systems[] = {
    {SYS_read, {{RESULT, STORES, 1, 2, 1}}},
    {SYS_pread64, {{RESULT, STORES, 1, 2, 1}}},
    {SYS_readv, {{PARTS, STORES, 1, 2, 0}}},
    {SYS_preadv, {{PARTS, STORES, 1, 2, 0}}},
    {SYS_preadv2, {{PARTS, STORES, 1, 2, 0}}},
    {SYS_recvfrom, {{RESULT, STORES, 1, 2, 1}, {LENGTH, STORES, 4, 5, 1}}},
    {SYS_recvmsg, {{MESSAGE, STORES, 1, ONCE, 0}}},
    {SYS_recvmmsg, {{MESSAGES, STORES, 1, 2, 0}}},
    {MPIPP_SYSTEM_FREAD, {{RESULT, STORES, 0, 2, 0}}},
    {SYS_write, {{RESULT, LOADS, 1, 2, 1}}},
    {SYS_pwrite64, {{RESULT, LOADS, 1, 2, 1}}},
    {SYS_writev, {{PARTS, LOADS, 1, 2, 0}}},
    {SYS_pwritev, {{PARTS, LOADS, 1, 2, 0}}},
    {SYS_pwritev2, {{PARTS, LOADS, 1, 2, 0}}},
    {SYS_vmsplice, {{PARTS, LOADS, 1, 2, 0}}},
    {SYS_sendto, {{RESULT, LOADS, 1, 2, 1}, {WHOLE, LOADS, 4, 5, 1}}},
    {SYS_sendmsg, {{MESSAGE, LOADS, 1, ONCE, 0}}},
    {SYS_sendmmsg, {{MESSAGES, LOADS, 1, 2, 0}}},
    {MPIPP_SYSTEM_FWRITE, {{RESULT, LOADS, 0, 2, 0}}},
    {SYS_process_vm_readv, {{PARTS, STORES, 1, 2, 0}}},
    {SYS_process_vm_writev, {{PARTS, LOADS, 1, 2, 0}}},
    {SYS_getrandom, {{RESULT, STORES, 0, 1, 1}}},
    {SYS_getcwd, {{TEXT, STORES, 0, 1, 1}}},
    {SYS_readlink, {{RESULT, STORES, 1, 2, 1}}},
    {SYS_readlinkat, {{RESULT, STORES, 2, 3, 1}}},
    {SYS_getdents64, {{RESULT, STORES, 1, 2, 1}}},
    {SYS_stat, {{WHOLE, STORES, 1, ONCE, sizeof(struct stat)}}},
    {SYS_lstat, {{WHOLE, STORES, 1, ONCE, sizeof(struct stat)}}},
    {SYS_fstat, {{WHOLE, STORES, 1, ONCE, sizeof(struct stat)}}},
    {SYS_newfstatat, {{WHOLE, STORES, 2, ONCE, sizeof(struct stat)}}},
    {MPIPP_SYSTEM_XSTAT, {{WHOLE, STORES, 2, ONCE, sizeof(struct stat)}}},
    {SYS_statx, {{WHOLE, STORES, 4, ONCE, sizeof(struct statx)}}},
    {SYS_statfs, {{WHOLE, STORES, 1, ONCE, sizeof(struct statfs)}}},
    {SYS_fstatfs, {{WHOLE, STORES, 1, ONCE, sizeof(struct statfs)}}},
    {SYS_uname, {{WHOLE, STORES, 0, ONCE, sizeof(struct utsname)}}},
    {SYS_sysinfo, {{WHOLE, STORES, 0, ONCE, sizeof(struct sysinfo)}}},
    {SYS_times, {{WHOLE, STORES, 0, ONCE, sizeof(struct tms)}}},
    {SYS_getrusage, {{WHOLE, STORES, 1, ONCE, sizeof(struct rusage)}}},
    {SYS_getsockopt, {{LENGTH, STORES, 3, 4, 1}}},
    {SYS_setsockopt, {{WHOLE, LOADS, 3, 4, 1}}},
    {SYS_getsockname, {{LENGTH, STORES, 1, 2, 1}}},
    {SYS_getpeername, {{LENGTH, STORES, 1, 2, 1}}},
    {SYS_accept, {{LENGTH, STORES, 1, 2, 1}}},
    {SYS_accept4, {{LENGTH, STORES, 1, 2, 1}}},
    {SYS_poll, {{WHOLE, STORES, 0, 1, sizeof(struct pollfd)}}},
    {SYS_ppoll, {{WHOLE, STORES, 0, 1, sizeof(struct pollfd)}}},
    {SYS_epoll_wait, {{RESULT, STORES, 1, 2, sizeof(struct epoll_event)}}},
    {SYS_epoll_pwait, {{RESULT, STORES, 1, 2, sizeof(struct epoll_event)}}},
    {SYS_epoll_ctl, {{WHOLE, LOADS, 3, ONCE, sizeof(struct epoll_event)}}},
    {SYS_pipe, {{WHOLE, STORES, 0, ONCE, 2 * sizeof(int)}}},
    {SYS_pipe2, {{WHOLE, STORES, 0, ONCE, 2 * sizeof(int)}}},
};

struct mpipp_system_part {
  uint64_t start, bytes;
  int stores;
};
struct mpipp_system_parts {
  struct mpipp_system_part all[MPIPP_SYSTEM_PARTS];
  int count;
};

static int looks(void) {
  return &mpipp_guards_buffers && __atomic_load_n(&mpipp_guards_buffers, __ATOMIC_RELAXED) &&
         mpipp_system_is_outside_mpi();
}

static void add(struct mpipp_system_parts *parts, uint64_t start, uint64_t bytes, int stores) {
  const uint64_t most = (uint64_t)1 << 47; // addresses are below this
  if (!start || !bytes || start >= most || parts->count == MPIPP_SYSTEM_PARTS) return;
  if (bytes > most - start) bytes = most - start;
  parts->all[parts->count++] = (struct mpipp_system_part){start, bytes, stores};
}

typedef ssize_t reader(pid_t, const struct iovec *, unsigned long, const struct iovec *,
                       unsigned long, unsigned long);
static reader *read_memory; // the C library's process_vm_readv, since this library replaces that
                            // name

__attribute__((constructor)) static void find_reader(void) {
  *(void **)&read_memory = dlsym(RTLD_NEXT, "process_vm_readv");
}

// Reads memory that may be unmapped; in that case the checked call itself will report the error.
int mpipp_fetch(void *to, uint64_t from, size_t bytes) {
  struct iovec local = {to, bytes}, remote = {(void *)(uintptr_t)from, bytes};
  return read_memory && read_memory(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)bytes;
}

// Adds the parts of an array of struct iovec, up to `bytes` bytes in total.
static void add_vector(struct mpipp_system_parts *parts, uint64_t at, uint64_t count,
                       uint64_t bytes, int stores) {
  struct iovec all[MPIPP_SYSTEM_PARTS];
  if (count > MPIPP_SYSTEM_PARTS) count = MPIPP_SYSTEM_PARTS;
  if (!count || !mpipp_fetch(all, at, count * sizeof *all)) return;
  for (uint64_t i = 0; i < count && bytes; i++) {
    uint64_t length = all[i].iov_len < bytes ? all[i].iov_len : bytes;
    add(parts, (uint64_t)(uintptr_t)all[i].iov_base, length, stores);
    bytes -= length;
  }
}

static void add_message(struct mpipp_system_parts *parts, uint64_t at, uint64_t bytes, int stores) {
  struct msghdr message;
  if (mpipp_fetch(&message, at, sizeof message))
    add_vector(parts, (uint64_t)(uintptr_t)message.msg_iov, message.msg_iovlen, bytes, stores);
}

static void add_messages(struct mpipp_system_parts *parts, uint64_t at, uint64_t count, int is_over,
                         int stores) {
  for (uint64_t i = 0; i < count && i < MPIPP_SYSTEM_PARTS; i++) {
    struct mmsghdr one;
    if (!mpipp_fetch(&one, at + i * sizeof one, sizeof one)) return;
    add_message(parts, at + i * sizeof one, is_over ? one.msg_len : UINT64_MAX, stores);
  }
}

static uint64_t length_at(struct mpipp_use *use, uint64_t at, int is_over) {
  socklen_t length;
  if (!mpipp_fetch(&length, at, sizeof length)) return 0;
  if (!is_over) use->room = length;
  return length < use->room ? length : use->room;
}

static void list_memory(struct mpipp_use *use, const struct mpipp_system_memory *memory,
                        long result, struct mpipp_system_parts *parts) {
  int is_over = result != NOT_YET, stores = memory->stores;
  uint64_t at = (uint64_t)use->words[memory->at], done = (uint64_t)result, bytes;
  uint64_t count = memory->count == ONCE ? 1 : (uint64_t)use->words[memory->count];
  uint64_t size = memory->size ? memory->size : (uint64_t)use->words[1];
  if (is_over && done < count && memory->kind == RESULT) count = done;
  if (__builtin_mul_overflow(count, size, &bytes)) bytes = UINT64_MAX;
  switch ((enum mpipp_system_kind)memory->kind) {
  case NONE:
    return;
  case WHOLE:
  case RESULT:
    add(parts, at, bytes, stores);
    return;
  case TEXT:
    if (!result) return; // the call has failed
    add(parts, at, is_over ? strnlen((const char *)at, bytes) + 1 : bytes, stores);
    return;
  case LENGTH:
    add(parts, at, length_at(use, count, is_over), stores);
    return;
  case PARTS:
    add_vector(parts, at, (uint64_t)use->words[memory->count], done, stores);
    return;
  case MESSAGE:
    add_message(parts, at, done, stores);
    return;
  case MESSAGES:
    add_messages(parts, at, is_over && done < count ? done : count, is_over, stores);
    return;
  }
}

static void list(struct mpipp_use *use, long result, struct mpipp_system_parts *parts) {
  parts->count = 0;
  for (int i = 0; i < 2; i++) list_memory(use, &use->system->memory[i], result, parts);
}

static const struct mpipp_system *find(long number) {
  for (size_t i = 0; i < sizeof systems / sizeof *systems; i++) {
    if (systems[i].number == number) return &systems[i];
  }
  return NULL;
}

// A function of its own, so that only checked calls need stack for the lists: a signal handler's
// stack may be small.
__attribute__((noinline)) static int begins(struct mpipp_use *use) {
  struct mpipp_system_parts parts;
  int saved = errno, is_met = 0;
  list(use, NOT_YET, &parts);
  for (int i = 0; i < parts.count; i++) {
    const struct mpipp_system_part *one = &parts.all[i];
    is_met |= mpipp_system_begin_use(one->start, one->bytes, one->stores);
  }
  errno = saved;
  return is_met;
}

__attribute__((noinline)) static void has_ended(struct mpipp_use *use, long result,
                                                const void *caller) {
  struct mpipp_system_parts parts;
  int saved = errno;
  const void *place = mpipp_order_reader ? mpipp_order_reader() : NULL;
  if (place) caller = place; // the wrapper has called this function for the program
  list(use, result, &parts);
  for (int i = 0; i < parts.count; i++) {
    const struct mpipp_system_part *one = &parts.all[i];
    mpipp_system_note_use(one->start, one->bytes, one->stores, (uint64_t)(uintptr_t)caller);
  }
  errno = saved;
}

int mpipp_use_begins(struct mpipp_use *use, long number) {
  return looks() && (use->system = find(number)) && begins(use);
}

void mpipp_use_ends(struct mpipp_use *use, long result, void *caller) {
  if (result >= 0) has_ended(use, result, caller);
}
#endif
