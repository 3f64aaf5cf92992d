// SPDX-License-Identifier: MIT
// Pipes, sockets, queues and signals, by which threads may wait for each other. All of them count
// as one object: a thread that receives is ordered after all that have sent.
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include "thread_order/interposed.h"

static const char passed; // one object for all pipes, sockets and files
// The place where the program calls the receiving function that this thread is in; NULL: it is in
// none.
static __thread const void *reader __attribute__((tls_model("initial-exec")));

const void *mpipp_order_reader(void) {
  return reader;
}

// Without a call of its own above, the library's function knows the program's place.

#define SENDS(RESULT, NAME, PARAMETERS, ARGUMENTS)                                                 \
  MPIPP_NEXT(RESULT, NAME, PARAMETERS)                                                             \
  MPIPP_OVER RESULT NAME PARAMETERS {                                                              \
    if (mpipp_order_watches()) mpipp_order_release_at(&passed, MPIPP_PLACE);                       \
    return NAME##_next() ARGUMENTS;                                                                \
  }
#define RECEIVES(RESULT, NAME, PARAMETERS, ARGUMENTS)                                              \
  MPIPP_NEXT(RESULT, NAME, PARAMETERS)                                                             \
  MPIPP_OVER RESULT NAME PARAMETERS {                                                              \
    if (!mpipp_order_watches()) return NAME##_next() ARGUMENTS;                                    \
    const void *outer = reader;                                                                    \
    reader = MPIPP_PLACE;                                                                          \
    RESULT got = NAME##_next() ARGUMENTS;                                                          \
    reader = outer;                                                                                \
    mpipp_order_acquire_at(&passed, MPIPP_PLACE);                                                  \
    return got;                                                                                    \
  }

SENDS(ssize_t, write, (int file, const void *data, size_t size), (file, data, size))
SENDS(ssize_t, writev, (int file, const struct iovec *parts, int count), (file, parts, count))
SENDS(ssize_t, send, (int file, const void *data, size_t size, int flags),
      (file, data, size, flags))
SENDS(ssize_t, sendmsg, (int file, const struct msghdr *message, int flags), (file, message, flags))
SENDS(int, pthread_kill, (pthread_t thread, int number), (thread, number))
SENDS(int, kill, (pid_t process, int number), (process, number))

RECEIVES(ssize_t, read, (int file, void *data, size_t size), (file, data, size))
RECEIVES(ssize_t, readv, (int file, const struct iovec *parts, int count), (file, parts, count))
RECEIVES(ssize_t, recv, (int file, void *data, size_t size, int flags), (file, data, size, flags))
RECEIVES(ssize_t, recvmsg, (int file, struct msghdr *message, int flags), (file, message, flags))
RECEIVES(int, poll, (struct pollfd * files, nfds_t count, int timeout), (files, count, timeout))
RECEIVES(int, select,
         (int count, fd_set *restrict reads, fd_set *restrict writes, fd_set *restrict others,
          struct timeval *restrict timeout),
         (count, reads, writes, others, timeout))
RECEIVES(int, epoll_wait, (int file, struct epoll_event *events, int count, int timeout),
         (file, events, count, timeout))
RECEIVES(int, sigwait, (const sigset_t *restrict set, int *restrict number), (set, number))
RECEIVES(int, sigwaitinfo, (const sigset_t *restrict set, siginfo_t *restrict info), (set, info))
RECEIVES(int, sigtimedwait,
         (const sigset_t *restrict set, siginfo_t *restrict info,
          const struct timespec *restrict timeout),
         (set, info, timeout))
RECEIVES(int, sigsuspend, (const sigset_t *set), (set))
RECEIVES(int, pause, (void), ())
