// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "perturb/rma/event_log.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "generated/facts.h"
#include "registry/registry.h"

enum { MOST_WORDS = 256, NOT_OPEN = -1, CLOSED = -2 };
static const size_t most = (size_t)1 << 22; // limit for the file of one process, in bytes

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *directory;
static char executable[PATH_MAX]; // the loader has no file name for the executable
static int file = NOT_OPEN;
static size_t written;

void mpipp_perturb_journal_open(void) {
  directory = getenv("MPIPP_JOURNAL");
  if (directory && readlink("/proc/self/exe", executable, sizeof executable - 1) < 0)
    *executable = 0;
}

static int open_file(void) {
  static char path[PATH_MAX]; // protected by the lock
  snprintf(path, sizeof path, "%s/schedule %d", directory, mpipp_registry.world_rank);
  return open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

// Writes the words, and the place of the code to which the call returns, separated by tabs. The
// place is the offset in the code's file, and the file's path.
static void write_line(const char *words, uint64_t caller) {
  struct link_map *map = NULL;
  Dl_info info;
  char offset[24] = "0\t";
  const char *name = "";
  if (dladdr1((void *)(uintptr_t)caller, &info, (void **)&map, RTLD_DL_LINKMAP) && map) {
    snprintf(offset, sizeof offset, "%" PRIx64 "\t", caller - map->l_addr);
    name = *map->l_name ? map->l_name : executable;
  }
  struct iovec line[] = {{(void *)(uintptr_t)words, strlen(words)},
                         {offset, strlen(offset)},
                         {(void *)(uintptr_t)name, strlen(name)},
                         {"\n", 1}};
  enum { PARTS = sizeof line / sizeof *line };
  pthread_mutex_lock(&lock);
  if (file == NOT_OPEN) file = open_file();
  for (int i = 0; i < PARTS; i++) written += line[i].iov_len;
  if (file < 0 || written > most || writev(file, line, PARTS) < 0) file = CLOSED;
  pthread_mutex_unlock(&lock);
}

void mpipp_perturb_journal_begins(struct mpipp_identity identity, const struct mpipp_call *call) {
  char words[MOST_WORDS];
  if (!directory) return;
  snprintf(words, sizeof words, "op\t%u\t%u\t%s\t%" PRId64 "\t", identity.place, identity.time,
           mpipp_procedure_names[call->procedure], call->target_rank);
  write_line(words, call->caller);
}

void mpipp_perturb_journal_ends(const struct mpipp_deferred_operation *one,
                                const struct mpipp_call *call, uint32_t number, uint32_t of,
                                int is_flushed) {
  char words[MOST_WORDS];
  if (!directory) return;
  snprintf(words, sizeof words, "to\t%u\t%u\t%s\t%u\t%u\t%u\t%d\t%d\t", one->identity.place,
           one->identity.time, mpipp_procedure_names[call->procedure], number, of,
           one->cuts ? one->cuts->count : 1, one->origin.copy != NULL, is_flushed);
  write_line(words, call->caller);
}
