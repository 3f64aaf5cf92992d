// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "watcher_client/connection.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "registry/object_store.h"
#include "registry/registry.h"
#include "registry/shared_arena.h"
#include "watcher_client/error_policy.h"
#include "watcher_client/messages.h"

enum { VERSION = 4, HIGH = 900, CODE_BYTES = 1 << 16, SILENCE_MS = 2000, MOST_MS = 30000 };
// The time limit for an answer that a call waits for. The limit is long, because the watcher may
// get little processor time.
enum { ANSWER_MS = 20000 };
// The watcher's answers. MET: the watcher knows the process. AT_WORK: the watcher is busy. LOOKED:
// the watcher has checked the process at its end. RELEASED: the process may exit. For a query:
// ANSWERED, or FOUND if there is a new finding. The name of an error class follows if the call is
// certainly wrong.
enum {
  MET = 'm',
  AT_WORK = 'w',
  LOOKED = '.',
  RELEASED = 'r',
  ANSWERED = 'a',
  FOUND = 'f',
  ANSWER_BYTES = 64
};

static int connection = -1, told = 0;
static char watcher[sizeof((struct sockaddr_un *)0)->sun_path]; // the path of the watcher's socket
static int64_t answered = 0;
static int has_met = 0, has_found = 0, last_class = 0;
static dev_t device;
static ino_t inode;

// The program may have closed all its files, and opened its own files with their numbers.
static int is_open(void) {
  struct stat now;
  if (connection >= 0 && (fstat(connection, &now) || now.st_dev != device || now.st_ino != inode))
    connection = -1;
  return connection >= 0;
}

static int connect_to(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) return -1;
  strcpy(address.sun_path, path);
  int made = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (made < 0) return -1;
  struct timeval most = {.tv_sec = SILENCE_MS / 1000};
  struct ucred peer;
  socklen_t bytes = sizeof peer;
  setsockopt(made, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
  if (connect(made, (struct sockaddr *)&address, sizeof address) ||
      getsockopt(made, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) || peer.uid != geteuid()) {
    close(made);
    return -1;
  }
  int high = fcntl(made, F_DUPFD_CLOEXEC, HIGH);
  if (high < 0) return made;
  close(made);
  return high;
}

// Stores the addresses of the program's code, for readers that come after the process has ended.
static void list_code(void) {
  FILE *maps = fopen("/proc/self/maps", "re");
  char *listed = maps ? mpipp_registry_map(CODE_BYTES) : NULL;
  static char line[PATH_MAX + 128]; // too large for small stacks
  uint64_t used = 0;
  while (listed && fgets(line, sizeof line, maps)) {
    const char *mode = strchr(line, ' ');
    size_t bytes = strlen(line);
    if (!mode || mode[3] != 'x' || !strchr(line, '/') || used + bytes > CODE_BYTES) continue;
    memcpy(listed + used, line, bytes);
    used += bytes;
  }
  if (maps) fclose(maps);
  mpipp_registry_published.arena.code = (uintptr_t)listed;
  mpipp_registry_published.arena.code_bytes = used;
}

static int send_hello(void) {
  struct mpipp_hello hello = {.magic = "MPIPPHI",
                              .version = VERSION,
                              .bytes = sizeof hello,
                              .pid = mpipp_registry.pid,
                              .root = (uintptr_t)&mpipp_registry,
                              .arena = (uintptr_t)&mpipp_registry_published.arena -
                                       (uintptr_t)&mpipp_registry_published,
                              .base = (uintptr_t)&mpipp_registry_published,
                              .strict = getenv("MPIPP_STRICT") != NULL};
  struct iovec data = {&hello, sizeof hello};
  int file = mpipp_registry_arena_file();
  union {
    char room[CMSG_SPACE(sizeof file)];
    struct cmsghdr align;
  } control = {{0}};
  struct msghdr message = {.msg_iov = &data,
                           .msg_iovlen = 1,
                           .msg_control = control.room,
                           .msg_controllen = sizeof control.room};
  struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof file);
  memcpy(CMSG_DATA(rights), &file, sizeof file);
  return file >= 0 && sendmsg(connection, &message, MSG_NOSIGNAL) == (ssize_t)sizeof hello;
}

void mpipp_watcher_connect(void) {
  const char *path = getenv("MPIPP_WATCH");
  struct stat now;
  if (!path) return;
  connection = connect_to(path);
  if (connection < 0) return;
  strcpy(watcher, path); // the process was connected, and the watcher is gone
  if (fstat(connection, &now)) {
    close(connection);
    connection = -1;
    return;
  }
  device = now.st_dev;
  inode = now.st_ino;
  list_code();
  if (!send_hello() && is_open()) {
    close(connection);
    connection = -1;
  }
}

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// Waits for one of MET, LOOKED and RELEASED, until the watcher is silent for too long, or gone.
static void await_answer(char awaited) {
  int64_t begin = now_ms(), heard = begin;
  while (awaited != MET || !has_met) {
    int64_t now = now_ms(), left = heard + SILENCE_MS - now;
    if (left <= 0 || now - begin > MOST_MS) return;
    struct pollfd ready = {.fd = connection, .events = POLLIN};
    int count = poll(&ready, 1, (int)left);
    if (count < 0 && errno != EINTR) return;
    if (count <= 0) continue;
    char answer = 0;
    if (recv(connection, &answer, 1, MSG_DONTWAIT) != 1 || answer == awaited) return;
    int answers = answer == ANSWERED || answer == FOUND;
    if (answers) __atomic_add_fetch(&answered, 1, __ATOMIC_RELAXED);
    // The watcher may answer LOOKED several times.
    if (answer == LOOKED && awaited == MET) return;
    heard = now_ms();
  }
}

void mpipp_watcher_await_greeting(void) {
  int saved = errno;
  static int met = 0;
  if (!__atomic_exchange_n(&met, 1, __ATOMIC_ACQ_REL) && is_open()) await_answer(MET);
  errno = saved;
}

static void send_and_await(struct mpipp_notice notice, char awaited) {
  if (send(connection, &notice, sizeof notice, MSG_NOSIGNAL) == (ssize_t)sizeof notice)
    await_answer(awaited);
}

void mpipp_watcher_report_end(enum mpipp_end end) {
  int saved = errno;
  if (!__atomic_exchange_n(&told, 1, __ATOMIC_ACQ_REL) && is_open())
    send_and_await((struct mpipp_notice){.magic = "MPIPPEND", .end = end}, LOOKED);
  errno = saved;
}

void mpipp_watcher_report_exit(void) {
  int saved = errno;
  if (is_open()) send_and_await((struct mpipp_notice){.magic = "MPIPPEXT"}, RELEASED);
  errno = saved;
}

int mpipp_watcher_open_connection(void) {
  return *watcher && is_open() ? connect_to(watcher) : -1;
}

int mpipp_watcher_is_connected(void) {
  return connection >= 0;
}

static int ask(struct mpipp_notice question, int flags) {
  int saved = errno;
  int done = is_open() && send(connection, &question, sizeof question, MSG_NOSIGNAL | flags) ==
                              (ssize_t)sizeof question;
  errno = saved;
  return done;
}

int mpipp_watcher_ask(uint64_t address) {
  return ask((struct mpipp_notice){.magic = "MPIPPASK", .end = address}, MSG_DONTWAIT);
}

int mpipp_watcher_ask_all(uint64_t address) {
  return ask((struct mpipp_notice){.magic = "MPIPPRST", .end = address}, 0);
}

int64_t mpipp_watcher_count_answers(void) {
  int saved = errno;
  char answer[ANSWER_BYTES] = "";
  int64_t found = __atomic_exchange_n(&answered, 0, __ATOMIC_RELAXED);
  while (connection >= 0 && !told) {
    ssize_t bytes = recv(connection, answer, sizeof answer - 1, MSG_DONTWAIT);
    if (bytes <= 0) break;
    answer[bytes] = '\0';
    int answers = *answer == ANSWERED || *answer == FOUND;
    found += answers;
    if (answers) last_class = mpipp_watcher_class_of_name(answer + 1);
    has_found |= *answer == FOUND;
    has_met |= *answer == MET;
  }
  errno = saved;
  return found;
}

int mpipp_watcher_has_findings(void) {
  return __atomic_exchange_n(&has_found, 0, __ATOMIC_RELAXED);
}

int mpipp_watcher_last_class(void) {
  return last_class;
}

int mpipp_watcher_await_capacity(void) {
  int saved = errno, count = -1;
  static int is_silent = 0; // 1: a wait timed out, and no answer has come since
  struct pollfd ready = {.fd = connection, .events = POLLIN};
  if (is_open()) {
    int64_t until = now_ms() + (is_silent ? 0 : ANSWER_MS);
    do { // a signal handler of the program, for example for a timer, may have interrupted the wait
      int64_t left = until - now_ms();
      count = poll(&ready, 1, left > 0 ? (int)left : 0);
    } while (count < 0 && errno == EINTR);
    is_silent = count == 0;
  }
  errno = saved;
  return count > 0 && !(ready.revents & (POLLHUP | POLLERR)); // the watcher is still connected
}

void mpipp_watcher_after_fork_in_child(void) {
  int saved = errno;
  if (is_open()) close(connection);
  connection = -1;
  errno = saved;
}
