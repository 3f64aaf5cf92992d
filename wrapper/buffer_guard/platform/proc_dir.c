// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "buffer_guard/platform/proc_dir.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// Does not use readdir, which takes memory from malloc.
static int list_directory(int directory, int (*is_it)(int, const char *, void *), void *with) {
  _Alignas(struct dirent64) char all[1 << 10];
  for (;;) {
    long got = syscall(SYS_getdents64, directory, all, sizeof all);
    if (got <= 0) return got < 0 ? -1 : 0;
    for (long i = 0; i < got;) {
      const struct dirent64 *one = (const void *)(all + i);
      if (*one->d_name != '.' && is_it(directory, one->d_name, with)) return 1;
      i += one->d_reclen;
    }
  }
}

int mpipp_guard_list(const char *path, int (*is_it)(int, const char *, void *), void *with) {
  int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return -1;
  int found = list_directory(directory, is_it, with);
  close(directory);
  return found;
}

static int has_name(int directory, const char *file, void *with) {
  char target[32] = "";
  if (readlinkat(directory, file, target, sizeof target - 1) < 0) return 0;
  for (const char *const *name = with; *name; name++)
    if (!strncmp(target, *name, strlen(*name))) return 1;
  return 0;
}

int mpipp_guard_has_open(const char *const *names) {
  return mpipp_guard_list("/proc/self/fd", has_name, (void *)(uintptr_t)names);
}
