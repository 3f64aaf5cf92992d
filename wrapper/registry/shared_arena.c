// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "registry/shared_arena.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "registry/memory_file.h"

enum {
  FIRST_BYTES = 1 << 20, // bytes of the first region; a later one has a fourth of all before it
  STEP = 1 << 16,
  ALIGNED = 64,
  SMALLEST = 5, // exponent of the smallest block: sizes are powers of two, at least 32 bytes
  SIZES = 48,
  HIGH = 900, // the program's own files usually have lower numbers
  TRIES = 100,
};

// The head before each block.
struct mpipp_head {
  uint64_t size; // exponent of the block's size
  struct mpipp_head *next;
};

int mpipp_registry_is_shared = 0;
static struct mpipp_arena *arena;
static int file = -1;
static dev_t device;
static ino_t inode;
static uint64_t file_bytes;
static char *next, *end; // the unused rest of the last region
static struct mpipp_head *unused[SIZES];
static void *copies[MPIPP_REGIONS]; // copies of the regions during a fork

// The program may have closed all its files, and opened its own files with their numbers.
int mpipp_registry_arena_file(void) {
  struct stat now;
  if (file >= 0 && (fstat(file, &now) || now.st_dev != device || now.st_ino != inode)) file = -1;
  return file;
}

static int new_file(void) {
  int made = mpipp_memory_file("mpipp", MFD_ALLOW_SEALING);
  if (made < 0) return -1;
  int high = fcntl(made, F_DUPFD_CLOEXEC, HIGH);
  if (high >= 0) {
    close(made);
    made = high;
  }
  struct stat now;
  if (fcntl(made, F_ADD_SEALS, F_SEAL_SHRINK) || fstat(made, &now)) return close(made), -1;
  device = now.st_dev;
  inode = now.st_ino;
  return made;
}

// Extends the file, and reserves its memory now. A later lack of memory would raise SIGBUS when the
// memory is used. A file beyond RLIMIT_FSIZE would raise SIGXFSZ, so the limit is tested first.
static int lengthen(uint64_t bytes) {
  struct rlimit most;
  if (mpipp_registry_arena_file() < 0 || getrlimit(RLIMIT_FSIZE, &most)) return 0;
  if (most.rlim_cur != RLIM_INFINITY && file_bytes + bytes > most.rlim_cur) return 0;
  for (int i = 0; i < TRIES; i++) {
    if (!fallocate(file, 0, (off_t)file_bytes, (off_t)bytes)) return 1;
    if (errno != EINTR) return 0;
  }
  return 0;
}

static int add_region(void *at, uint64_t bytes) {
  if (arena->count == MPIPP_REGIONS || !lengthen(bytes)) return 0;
  int flags = MAP_SHARED | (at ? MAP_FIXED : MAP_POPULATE);
  void *memory = mmap(at, bytes, PROT_READ | PROT_WRITE, flags, file, (off_t)file_bytes);
  if (memory == MAP_FAILED) return 0;
  arena->regions[arena->count] =
      (struct mpipp_region){(uint64_t)(uintptr_t)memory, file_bytes, bytes};
  __atomic_store_n(&arena->count, arena->count + 1, __ATOMIC_RELEASE);
  file_bytes += bytes;
  return 1;
}

static int copy_to_file(const char *from, uint64_t bytes) {
  for (uint64_t done = 0; done < bytes;) {
    ssize_t written = pwrite(file, from + done, bytes - done, (off_t)done);
    if (written <= 0) return 0;
    done += (uint64_t)written;
  }
  return 1;
}

int mpipp_registry_arena_open(void *pages, uint64_t bytes, struct mpipp_arena *found) {
  uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  if ((uintptr_t)pages % page || bytes % page) return 0;
  file = new_file();
  if (file < 0) return 0;
  if (lengthen(bytes) && copy_to_file(pages, bytes)) {
    arena = found;
    if (add_region(pages, bytes)) return 1;
  }
  arena = NULL;
  close(file);
  file = -1;
  return 0;
}

static void *take(uint64_t bytes) {
  if (!arena || bytes > (uint64_t)1 << (SIZES - 1)) return NULL;
  bytes = (bytes + ALIGNED - 1) & ~(uint64_t)(ALIGNED - 1);
  if ((uint64_t)(end - next) < bytes) {
    uint64_t more = file_bytes / 4 > FIRST_BYTES ? file_bytes / 4 : FIRST_BYTES;
    if (more < bytes) more = bytes;
    more = (more + STEP - 1) & ~(uint64_t)(STEP - 1);
    if (!add_region(NULL, more)) {
      arena->not_there++;
      return NULL;
    }
    const struct mpipp_region *last = &arena->regions[arena->count - 1];
    next = (char *)(uintptr_t)last->address;
    end = next + last->bytes;
  }
  void *memory = next;
  next += bytes;
  return memory;
}

void *mpipp_registry_arena_map(uint64_t bytes) {
  int saved = errno;
  void *memory = take(bytes);
  errno = saved;
  return memory;
}

void *mpipp_registry_arena_allocate(uint64_t bytes) {
  int saved = errno;
  uint64_t size = SMALLEST;
  while (size < SIZES && (uint64_t)1 << size < bytes + sizeof(struct mpipp_head)) size++;
  if (!arena || size == SIZES) return NULL;
  struct mpipp_head *block = unused[size];
  if (block)
    unused[size] = block->next;
  else
    block = take((uint64_t)1 << size);
  if (block) block->size = size;
  errno = saved;
  return block ? block + 1 : NULL;
}

int mpipp_registry_arena_has(const void *memory) {
  if (!arena) return 0;
  for (uint64_t i = 0, count = __atomic_load_n(&arena->count, __ATOMIC_ACQUIRE); i < count; i++) {
    const struct mpipp_region *region = &arena->regions[i];
    if ((uintptr_t)memory - region->address < region->bytes) return 1;
  }
  return 0;
}

void mpipp_registry_arena_free(void *memory) {
  struct mpipp_head *block = (struct mpipp_head *)memory - 1;
  block->next = unused[block->size];
  unused[block->size] = block;
}

void mpipp_registry_arena_before_fork(void) {
  int saved = errno;
  for (uint64_t i = 0; arena && file >= 0 && i < arena->count; i++) {
    const struct mpipp_region *region = &arena->regions[i];
    void *copy =
        mmap(NULL, region->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    copies[i] = copy == MAP_FAILED ? NULL : copy;
    if (copies[i]) memcpy(copy, (const void *)(uintptr_t)region->address, region->bytes);
  }
  errno = saved;
}

void mpipp_registry_arena_after_fork(void) {
  int saved = errno;
  for (uint64_t i = 0; arena && i < arena->count; i++) {
    if (copies[i]) munmap(copies[i], arena->regions[i].bytes);
    copies[i] = NULL;
  }
  errno = saved;
}

// In the child, copies replace the regions. Uses the system call directly, because UCX replaces
// mremap by a function that loses the new address. Without a copy, the child sees what the parent
// writes to the region, but does not write to it itself.
void mpipp_registry_arena_after_fork_in_child(void) {
  int saved = errno;
  struct mpipp_region regions[MPIPP_REGIONS];
  uint64_t count = arena && file >= 0 ? arena->count : 0;
  if (count) memcpy(regions, arena->regions, sizeof regions);
  for (uint64_t i = 0; i < count; i++) {
    void *at = (void *)(uintptr_t)regions[i].address;
    uint64_t bytes = regions[i].bytes;
    if (!copies[i])
      mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file,
           (off_t)regions[i].offset);
    else
      syscall(SYS_mremap, copies[i], bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, at);
    copies[i] = NULL;
  }
  if (mpipp_registry_arena_file() >= 0) close(file);
  file = -1;
  errno = saved;
}
