// SPDX-License-Identifier: MIT
#include "watcher_client/dying.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "watcher_client/connection.h"

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void mpipp_watcher_report_dying(struct mpipp_dying *dying, int patience_ms) {
  int connection = mpipp_watcher_open_connection();
  if (connection < 0) return;
  memcpy(dying->magic, "MPIPPSIG", sizeof dying->magic);
  if (send(connection, dying, sizeof *dying, MSG_NOSIGNAL) == (ssize_t)sizeof *dying) {
    // The watcher sends an answer, or closes the connection.
    struct pollfd ready = {.fd = connection, .events = POLLIN};
    int64_t left = patience_ms, until = now_ms() + left;
    while (left > 0 && poll(&ready, 1, (int)left) < 0 && errno == EINTR) left = until - now_ms();
  }
  close(connection);
}
