// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "provoke/journal.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "generated/facts.h"
#include "records/registry.h"

enum { LONGEST = PATH_MAX + 256, NOT_OPEN = -1, CLOSED = -2 };
static const size_t most = (size_t)1 << 22; // bytes of a process

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *directory;
static int file = NOT_OPEN;
static size_t written;

void mpipp_journal_open(void) {
  directory = getenv("MPIPP_JOURNAL");
}

static void write_line(const char *line, int length) {
  char path[PATH_MAX];
  if (length <= 0 || length >= LONGEST) return;
  pthread_mutex_lock(&lock);
  if (file == NOT_OPEN) {
    snprintf(path, sizeof path, "%s/schedule %d", directory, mpipp_registry.world_rank);
    file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  }
  written += (size_t)length;
  if (file < 0 || written > most || write(file, line, (size_t)length) < 0) file = CLOSED;
  pthread_mutex_unlock(&lock);
}

// The file that has the code, and where in it the call returns to: tab, path.
static void told_place(uint64_t caller, char place[PATH_MAX + 32]) {
  struct link_map *map = NULL;
  Dl_info info;
  char path[PATH_MAX];
  void *address = (void *)(uintptr_t)caller;
  if (!dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) || !map) {
    snprintf(place, PATH_MAX + 32, "0\t");
    return;
  }
  const char *name = map->l_name;
  ssize_t length = *name ? 0 : readlink("/proc/self/exe", path, sizeof path - 1);
  if (length > 0) {
    path[length] = '\0';
    name = path;
  }
  snprintf(place, PATH_MAX + 32, "%" PRIx64 "\t%s", caller - map->l_addr, name);
}

void mpipp_journal_begins(struct mpipp_identity identity, const struct mpipp_call *call) {
  char line[LONGEST], place[PATH_MAX + 32];
  if (!directory) return;
  told_place(call->caller, place);
  write_line(line, snprintf(line, sizeof line, "op\t%u\t%u\t%s\t%" PRId64 "\t%s\n", identity.place,
                            identity.time, mpipp_procedure_names[call->procedure],
                            call->target_rank, place));
}

void mpipp_journal_ends(const struct mpipp_deferred *one, const struct mpipp_call *call,
                        uint32_t number, uint32_t of, int is_flushed) {
  char line[LONGEST], place[PATH_MAX + 32];
  if (!directory) return;
  told_place(call->caller, place);
  write_line(line, snprintf(line, sizeof line, "to\t%u\t%u\t%s\t%u\t%u\t%u\t%d\t%d\t%s\n",
                            one->identity.place, one->identity.time,
                            mpipp_procedure_names[call->procedure], number, of,
                            one->cuts ? one->cuts->count : 1, one->origin.copy != NULL, is_flushed,
                            place));
}
