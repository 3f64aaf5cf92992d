// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "screens/constants.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINES = 8192 }; // bytes that are read at a time: a line has less

struct mpipp_constants mpipp_constants;
int64_t mpipp_first_beyond = MPIPP_FIRST_ADDRESS;

// The first object is the executable.
static int look_at(struct dl_phdr_info *object, size_t size, void *data) {
  (void)size;
  struct mpipp_constants *found = data;
  const ElfW(Phdr) *first = NULL, *written = NULL, *relocated = NULL;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &object->dlpi_phdr[i];
    if (header->p_type == PT_GNU_RELRO) relocated = header;
    if (header->p_type != PT_LOAD || written) continue;
    if (!first) first = header;
    if (header->p_flags & PF_W)
      written = header;
    else
      found->end = object->dlpi_addr + header->p_vaddr + header->p_memsz;
  }
  if (first) found->start = object->dlpi_addr + first->p_vaddr;
  // What is constant once it has been relocated is the beginning of what can be written.
  if (relocated && written && relocated->p_vaddr <= written->p_vaddr) {
    uint64_t end = object->dlpi_addr + relocated->p_vaddr + relocated->p_memsz;
    found->end = end & ~((uint64_t)sysconf(_SC_PAGESIZE) - 1);
  }
  return 1;
}

void mpipp_constants_open(void) {
  struct mpipp_constants found = {0, 0};
  dl_iterate_phdr(look_at, &found);
  if (found.start >= found.end || found.end > INT64_MAX) return;
  mpipp_constants = found;
  if ((int64_t)found.end > mpipp_first_beyond) mpipp_first_beyond = (int64_t)found.end;
}

// A line of /proc/self/maps: what it tells of the constants. What may not be read either is not
// told: there a device may have its memory.
static void read_line(const char *line, mpipp_constant_part *tell, void *context) {
  char *rest;
  uint64_t start = strtoull(line, &rest, 16),
           end = *rest == '-' ? strtoull(rest + 1, &rest, 16) : 0;
  if (strncmp(rest, " r-", 3) != 0 || !mpipp_meets_constants(start, end)) return;
  tell(context, start, end);
}

void mpipp_constants_now(mpipp_constant_part *tell, void *context) {
  int saved = errno, file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  char lines[LINES];
  size_t held = 0;
  while (file >= 0) {
    ssize_t got = read(file, lines + held, sizeof lines - 1 - held);
    if (got <= 0) break;
    held += (size_t)got;
    lines[held] = 0;
    char *line = lines;
    for (char *end; (end = strchr(line, '\n')); line = end + 1) {
      *end = 0;
      read_line(line, tell, context);
    }
    held -= (size_t)(line - lines);
    memmove(lines, line, held);
  }
  if (file >= 0) close(file);
  errno = saved;
}
