// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "watch/disagreement.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "watch/connection.h"

enum { PATIENCE_MS = 40000 };

static int sent(int connection, struct mpipp_disagreeing *call) {
  memcpy(call->magic, "MPIPPDIF", sizeof call->magic);
  return send(connection, call, sizeof *call, MSG_NOSIGNAL) == (ssize_t)sizeof *call;
}

void mpipp_tell_not_compared(uint64_t pid) {
  struct mpipp_disagreeing call = {.pid = pid};
  int connection = mpipp_watch_another();
  if (connection < 0) return;
  (void)sent(connection, &call);
  close(connection);
}

// A connection of its own: other threads may be asking of other communicators.
enum mpipp_disagreement mpipp_ask_watcher(struct mpipp_disagreeing *call) {
  int connection = mpipp_watch_another();
  uint8_t answer = MPIPP_AGREE;
  if (connection < 0) return MPIPP_AGREE;
  if (sent(connection, call)) {
    struct pollfd ready = {.fd = connection, .events = POLLIN};
    int count;
    do count = poll(&ready, 1, PATIENCE_MS);
    while (count < 0 && errno == EINTR);
    if (count > 0 && recv(connection, &answer, 1, MSG_DONTWAIT) != 1) answer = MPIPP_AGREE;
  }
  close(connection);
  return answer <= MPIPP_DIFFER_CALL ? (enum mpipp_disagreement)answer : MPIPP_AGREE;
}
