// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "call_filter/read_only_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
  CHUNK = 512,
  HEAD = 64,
  PAGES = 256
}; // numbers of bytes that are read at once, of bytes of a line that are kept, and of pages of a
   // small range

struct mpipp_constants mpipp_filter_constants;
int64_t mpipp_filter_first_beyond = MPIPP_FIRST_ADDRESS;

// The executable is the first object that the loader lists.
static int visit_object(struct dl_phdr_info *object, size_t size, void *data) {
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
  // The part that becomes read-only after relocation is at the beginning of the writable part.
  if (relocated && written && relocated->p_vaddr <= written->p_vaddr) {
    uint64_t end = object->dlpi_addr + relocated->p_vaddr + relocated->p_memsz;
    found->end = end & ~((uint64_t)sysconf(_SC_PAGESIZE) - 1);
  }
  return 1;
}

void mpipp_filter_constants_open(void) {
  struct mpipp_constants found = {0, 0};
  dl_iterate_phdr(visit_object, &found);
  if (found.start >= found.end || found.end > INT64_MAX) return;
  mpipp_filter_constants = found;
  if ((int64_t)found.end > mpipp_filter_first_beyond)
    mpipp_filter_first_beyond = (int64_t)found.end;
}

int mpipp_filter_is_mapped(uint64_t low, uint64_t high) {
  int saved = errno;
  unsigned char resident[PAGES];
  uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  low &= ~(page - 1);
  // With these arguments msync only tests whether the range is mapped (since Linux 2.6.19). msync
  // does not visit each page, as mincore does. But valgrind reports msync of bytes around a small
  // buffer that the program must not access.
  void *start = (void *)(uintptr_t)low;
  int is_small = high - low <= PAGES * page;
  int is_not =
      (is_small ? mincore(start, high - low, resident) : msync(start, high - low, MS_ASYNC)) &&
      errno == ENOMEM;
  errno = saved;
  return !is_not;
}

int mpipp_filter_are_ends_mapped(uint64_t low, uint64_t high) {
  static __thread uint64_t last_low, last_high;
  if (low == last_low && high == last_high) return 1;
  if (!mpipp_filter_is_mapped(low, low + 1) || !mpipp_filter_is_mapped(high - 1, high)) return 0;
  last_low = low;
  last_high = high;
  return 1;
}

static void read_line(const char *line, mpipp_mapped_part *tell, void *context) {
  char *rest;
  uint64_t start = strtoull(line, &rest, 16),
           end = *rest == '-' ? strtoull(rest + 1, &rest, 16) : 0;
  if (start < end && *rest == ' ') tell(context, start, end, rest + 1);
}

void mpipp_filter_visit_mappings(mpipp_mapped_part *tell, void *context) {
  int saved = errno, file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  char chunk[CHUNK], head[HEAD] = ""; // the beginning of a line, with the addresses and the mode
  size_t length = 0;
  ssize_t got = 0;
  while (file >= 0 && (got = read(file, chunk, sizeof chunk)) > 0) {
    for (ssize_t i = 0; i < got; i++) {
      if (chunk[i] != '\n') {
        if (length + 1 < sizeof head) head[length++] = chunk[i];
        continue;
      }
      head[length] = 0;
      read_line(head, tell, context);
      length = 0;
    }
  }
  if (file >= 0) close(file);
  errno = saved;
}
