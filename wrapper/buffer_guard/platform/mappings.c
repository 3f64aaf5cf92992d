// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "buffer_guard/platform/mappings.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { HIGH = 900, LINES = 1 << 16 };

// The query for one address (PROCMAP_QUERY) that Linux 6.11 and later have, as in linux/fs.h of
// such a system.
struct mpipp_query {
  uint64_t size, flags, address;
  uint64_t start, end, mode, page_size, offset, inode;
  uint32_t major, minor, name_size, build_id_size;
  uint64_t name, build_id;
};
enum { READABLE = 1, WRITABLE = 2, EXECUTABLE = 4, SHARED = 8, OR_NEXT = 16 };
#define QUERY _IOWR('f', 17, struct mpipp_query)

static int maps = -1, has_query = 1;
static dev_t maps_device;
static ino_t maps_inode;

// The program may have closed all its files, and opened its own files with their numbers.
static int open_maps(void) {
  struct stat now;
  if (maps >= 0 && !fstat(maps, &now) && now.st_dev == maps_device && now.st_ino == maps_inode)
    return maps;
  int made = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  maps = made < 0 ? -1 : fcntl(made, F_DUPFD_CLOEXEC, HIGH);
  if (made >= 0) close(made);
  if (maps < 0 || fstat(maps, &now)) return -1;
  maps_device = now.st_dev;
  maps_inode = now.st_ino;
  return maps;
}

// Finds the first mapping that ends after an address. Returns 0 if there is none.
static int query_mapping(int file, uint64_t address, uint32_t name_size,
                         struct mpipp_mapping *found) {
  struct mpipp_query query = {.size = sizeof query,
                              .flags = OR_NEXT,
                              .address = address,
                              .name_size = name_size,
                              .name = name_size ? (uint64_t)(uintptr_t)found->name : 0};
  memset(found->name, 0, name_size); // valgrind does not know that this ioctl writes the name
  if (ioctl(file, QUERY, &query)) return 0;
  found->start = query.start;
  found->end = query.end;
  found->offset = query.offset;
  found->inode = query.inode;
  found->device = makedev(query.major, query.minor);
  found->readable = (query.mode & READABLE) != 0;
  found->writable = (query.mode & WRITABLE) != 0;
  found->executable = (query.mode & EXECUTABLE) != 0;
  found->shared = (query.mode & SHARED) != 0;
  return 1;
}

static int parse_beyond(const char *line, uint64_t address, struct mpipp_mapping *found) {
  char mode[5] = "";
  unsigned major, minor;
  int named = 0;
  if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n", &found->start,
             &found->end, mode, &found->offset, &major, &minor, &found->inode, &named) < 7)
    return 0;
  if (address >= found->end) return 0;
  found->device = makedev(major, minor);
  found->readable = mode[0] == 'r';
  found->writable = mode[1] == 'w';
  found->executable = mode[2] == 'x';
  found->shared = mode[3] == 's';
  snprintf(found->name, sizeof found->name, "%s", named ? line + named : "");
  return 1;
}

// Finds the same mapping by reading all lines of /proc/self/maps, for older systems. Returns -1 if
// the file cannot be read.
static int read_mapping(uint64_t address, struct mpipp_mapping *found) {
  static char lines[LINES];
  int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC), is_found = 0;
  size_t held = 0;
  while (file >= 0 && !is_found) {
    ssize_t got = read(file, lines + held, sizeof lines - 1 - held);
    if (got <= 0) break;
    held += (size_t)got;
    lines[held] = 0;
    char *line = lines;
    for (char *end; !is_found && (end = strchr(line, '\n')); line = end + 1) {
      *end = 0;
      is_found = parse_beyond(line, address, found);
    }
    held -= (size_t)(line - lines);
    memmove(lines, line, held);
  }
  if (file < 0) return -1;
  close(file);
  return is_found;
}

static int next_mapping(int file, uint64_t address, struct mpipp_mapping *found) {
  if (query_mapping(file, address, sizeof found->name, found)) return found->start <= address;
  found->start = ~(uint64_t)0;
  return errno == ENOENT ? 0 : -1;
}

int mpipp_guard_mapping_from(uint64_t address, struct mpipp_mapping *found) {
  int file = has_query ? open_maps() : -1,
      known = file < 0 ? -1 : next_mapping(file, address, found);
  if (known >= 0) return known;
  if (file >= 0) has_query = 0;
  known = read_mapping(address, found);
  if (known <= 0) found->start = ~(uint64_t)0;
  return known > 0 ? found->start <= address : known;
}

int mpipp_guard_mapping_at(uint64_t address, struct mpipp_mapping *found) {
  return mpipp_guard_mapping_from(address, found) > 0;
}

int mpipp_guard_mapping_query_unlocked(uint64_t address, struct mpipp_mapping *found) {
  int saved = errno, file = has_query ? open_maps() : -1;
  int known = file < 0 ? -1 : next_mapping(file, address, found);
  errno = saved;
  return known;
}

int mpipp_guard_mapping_guess(uint64_t address, struct mpipp_mapping *found) {
  int saved = errno, known = maps >= 0 && has_query && query_mapping(maps, address, 0, found);
  errno = saved;
  return known && found->start <= address;
}

void mpipp_guard_mappings_fork(void) {
  maps = -1; // the file shows the parent's mappings; the program's child may close it itself
}
