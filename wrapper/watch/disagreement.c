// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "watch/disagreement.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "watch/connection.h"

enum { PATIENCE_MS = 40000 };

static int sent(int connection, struct mpipp_disagreeing *call, const char *magic) {
  memcpy(call->magic, magic, sizeof call->magic);
  return send(connection, call, sizeof *call, MSG_NOSIGNAL) == (ssize_t)sizeof *call;
}

// A connection of its own: other threads may be asking, too. Returns 0 without an answer.
static uint8_t answer_to(struct mpipp_disagreeing *asked, const char *magic) {
  int connection = mpipp_watch_another();
  uint8_t answer = 0;
  if (connection < 0) return 0;
  if (sent(connection, asked, magic)) {
    struct pollfd ready = {.fd = connection, .events = POLLIN};
    int count;
    do count = poll(&ready, 1, PATIENCE_MS);
    while (count < 0 && errno == EINTR);
    if (count > 0 && recv(connection, &answer, 1, MSG_DONTWAIT) != 1) answer = 0;
  }
  close(connection);
  if (answer & MPIPP_STOPS) raise(SIGSTOP);
  return answer & (uint8_t)~MPIPP_STOPS;
}

void mpipp_tell_not_compared(uint64_t pid) {
  struct mpipp_disagreeing call = {.pid = pid};
  int connection = mpipp_watch_another();
  if (connection < 0) return;
  (void)sent(connection, &call, "MPIPPDIF");
  close(connection);
}

int mpipp_ask_whether_all(uint64_t pid) {
  struct mpipp_disagreeing process = {.pid = pid};
  return answer_to(&process, "MPIPPALL") == 1;
}

int mpipp_ask_to_compare(uint64_t pid, uint64_t tid) {
  struct mpipp_disagreeing process = {.pid = pid, .tid = tid};
  return answer_to(&process, "MPIPPNOW") == 1;
}

int mpipp_ask_touched(uint64_t pid, uint64_t tid, uint64_t touch) {
  struct mpipp_disagreeing touched = {.pid = pid, .tid = tid, .number = touch};
  return answer_to(&touched, "MPIPPTCH") == 1;
}

enum mpipp_disagreement mpipp_ask_watcher(struct mpipp_disagreeing *call) {
  uint8_t answer = answer_to(call, "MPIPPDIF");
  return answer <= MPIPP_DIFFER_CALL ? (enum mpipp_disagreement)answer : MPIPP_AGREE;
}
