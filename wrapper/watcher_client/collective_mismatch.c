// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "watcher_client/collective_mismatch.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "watcher_client/connection.h"
#include "watcher_client/error_policy.h"

enum {
  PATIENCE_MS = 40000,
  ANSWER_BYTES = 64,
  YES = 1,      // the watcher answers yes, or has a finding
  STOPS = 0x80, // flag: the watcher stops the process in the call; later it continues
};

// The watcher's answer. For calls that disagree, the name of an error class follows.
struct mpipp_answer {
  uint8_t said;
  char name[ANSWER_BYTES];
};

static int send_call(int connection, struct mpipp_disagreeing *call, const char *magic) {
  memcpy(call->magic, magic, sizeof call->magic);
  return send(connection, call, sizeof *call, MSG_NOSIGNAL) == (ssize_t)sizeof *call;
}

// Sends a query on a connection of its own, because other threads may be querying, too. Without an
// answer all members are 0.
static struct mpipp_answer query(struct mpipp_disagreeing *asked, const char *magic) {
  int connection = mpipp_watcher_open_connection();
  struct mpipp_answer answer = {0}, none = {0};
  if (connection < 0) return none;
  if (send_call(connection, asked, magic)) {
    struct pollfd ready = {.fd = connection, .events = POLLIN};
    int count;
    do count = poll(&ready, 1, PATIENCE_MS);
    while (count < 0 && errno == EINTR);
    if (count > 0 && recv(connection, &answer, sizeof answer - 1, MSG_DONTWAIT) < 1) answer = none;
  }
  close(connection);
  if (answer.said & STOPS) raise(SIGSTOP);
  return answer;
}

void mpipp_watcher_report_uncompared_calls(uint64_t pid) {
  struct mpipp_disagreeing call = {.pid = pid};
  int connection = mpipp_watcher_open_connection();
  if (connection < 0) return;
  (void)send_call(connection, &call, "MPIPPDIF");
  close(connection);
}

int mpipp_watcher_all_are_strict(uint64_t pid) {
  struct mpipp_disagreeing process = {.pid = pid};
  return query(&process, "MPIPPALL").said & YES;
}

int mpipp_watcher_ask_to_compare(struct mpipp_disagreeing *completed) {
  return query(completed, "MPIPPNOW").said & YES;
}

int mpipp_watcher_report_access(uint64_t pid, uint64_t tid, uint64_t touch) {
  struct mpipp_disagreeing touched = {.pid = pid, .tid = tid, .number = touch};
  return query(&touched, "MPIPPTCH").said & YES;
}

int mpipp_watcher_ask_disagreement(struct mpipp_disagreeing *call) {
  return mpipp_watcher_class_of_name(query(call, "MPIPPDIF").name);
}
