// SPDX-License-Identifier: MIT
// Preloaded before the wrapper. After $FAIL_AFTER requests of the wrapper for memory, every
// $FAIL_EVERY-th request fails. Other requests succeed. At the end, prints how many requests
// failed, and how many records the wrapper dropped.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "registry/root.h"

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);

static uintptr_t from, to; // the wrapper's code
static unsigned long after, every, requests, failed_malloc, failed_mmap;

static int find_wrapper(struct dl_phdr_info *object, size_t size, void *data) {
  (void)size, (void)data;
  if (!strstr(object->dlpi_name, "/libmpipp_")) return 0;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &object->dlpi_phdr[i];
    if (header->p_type != PT_LOAD || !(header->p_flags & PF_X)) continue;
    from = object->dlpi_addr + header->p_vaddr;
    to = from + header->p_memsz;
  }
  return 1;
}

__attribute__((constructor)) static void start(void) {
  dl_iterate_phdr(find_wrapper, NULL);
  after = strtoul(getenv("FAIL_AFTER"), NULL, 10);
  every = strtoul(getenv("FAIL_EVERY"), NULL, 10);
}

__attribute__((destructor)) static void end(void) {
  const struct mpipp_registry *registry = dlsym(RTLD_DEFAULT, "mpipp_registry");
  if (requests == 0) return; // a process that MPI started
  fprintf(stderr, "of %lu requests failed %lu malloc and %lu mmap, dropped %lu\n", requests,
          failed_malloc, failed_mmap, (unsigned long)registry->dropped);
}

static int fails(const void *caller, unsigned long *failed) {
  if ((uintptr_t)caller < from || (uintptr_t)caller >= to) return 0;
  unsigned long number = __atomic_add_fetch(&requests, 1, __ATOMIC_RELAXED);
  if (number <= after || (number - after) % every) return 0;
  __atomic_add_fetch(failed, 1, __ATOMIC_RELAXED);
  errno = ENOMEM;
  return 1;
}
#define FAILS(KIND) fails(__builtin_return_address(0), &failed_##KIND)

void *malloc(size_t size) {
  return FAILS(malloc) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  return FAILS(malloc) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
  return FAILS(malloc) ? NULL : __libc_realloc(old, size);
}

char *strdup(const char *text) {
  if (FAILS(malloc)) return NULL;
  size_t size = strlen(text) + 1;
  char *copy = __libc_malloc(size);
  return copy ? memcpy(copy, text, size) : NULL;
}

void *mmap(void *address, size_t length, int protection, int flags, int file, off_t offset) {
  if (FAILS(mmap)) return MAP_FAILED;
  return (void *)syscall(SYS_mmap, address, length, protection, flags, file, offset);
}
