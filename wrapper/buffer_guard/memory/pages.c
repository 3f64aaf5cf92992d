// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "buffer_guard/memory/pages.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "buffer_guard/memory/page_eligibility.h"
#include "buffer_guard/platform/mappings.h"
#include "layout/strided_blocks.h"
#include "registry/buffer_accesses.h"
#include "registry/memory_file.h"
#include "registry/registry.h"

enum { HIGH = 900, MOST_RANGES = 4096, SUMMED = 64, PART = 1 << 24 };
#define FILE_BYTES ((off_t)1 << 47)

struct mpipp_pages_range {
  uint64_t low, high;
};

static int file = -1;
static dev_t device;
static ino_t inode;
// In order of their addresses; neighbors are merged.
static struct mpipp_pages_range ranges[MOST_RANGES];
static uint32_t range_count;
static uint64_t lowest = ~(uint64_t)0, highest; // bounds of all ranges
// The ranges as they were when the fork began: the program may change the table before the fork
// happens.
static struct mpipp_pages_copy {
  struct mpipp_pages_range of;
  void *memory;
} copies[MOST_RANGES];
static uint32_t copy_count;
static int contended;
static uint64_t own_bytes;
static struct mpipp_pages_range exchanged; // the pages that are being exchanged at this moment

// The program may have closed all its files, and opened its own files with their numbers.
static int is_open(void) {
  struct stat now;
  if (file < 0) return 0;
  if (!fstat(file, &now) && now.st_dev == device && now.st_ino == inode) return 1;
  file = -1;
  mpipp_note_hindrance(MPIPP_HINDERED_BY_FILE);
  return 0;
}

int mpipp_guard_pages_open(void) {
  if (is_open()) return 1;
  if (mpipp_guard_is_file_limited()) return 0;
  int made = mpipp_memory_file("mpipp-guard", 0);
  if (made < 0) return 0;
  struct stat now;
  file = fcntl(made, F_DUPFD_CLOEXEC, HIGH); // fails if the limit of open files is lower
  if (file < 0)
    file = made;
  else
    close(made);
  if (ftruncate(file, FILE_BYTES) || fstat(file, &now)) return 0;
  device = now.st_dev;
  inode = now.st_ino;
  return 1;
}

int mpipp_guard_pages_are_own(const struct mpipp_mapping *mapping) {
  return mapping->shared && mapping->inode == inode && mapping->device == device;
}

static int is_own(const struct mpipp_mapping *mapping, uint64_t address) {
  return mpipp_guard_pages_are_own(mapping) &&
         mapping->offset + (address - mapping->start) == address;
}

static void widen(uint64_t low, uint64_t high) {
  if (low < lowest) __atomic_store_n(&lowest, low, __ATOMIC_RELEASE);
  if (high > highest) __atomic_store_n(&highest, high, __ATOMIC_RELEASE);
}

static void add(uint64_t low, uint64_t high) {
  uint32_t first = 0;
  while (first < range_count && ranges[first].high < low) first++;
  uint32_t after = first;
  for (; after < range_count && ranges[after].low <= high; after++) {
    if (ranges[after].low < low) low = ranges[after].low;
    if (ranges[after].high > high) high = ranges[after].high;
  }
  memmove(&ranges[first + 1], &ranges[after], (range_count - after) * sizeof *ranges);
  ranges[first] = (struct mpipp_pages_range){low, high};
  range_count += 1 - (after - first);
  widen(low, high);
}

// Removes [low, high) from the table. At most two ranges of the table keep a part outside [low,
// high).
static void remove_range(uint64_t low, uint64_t high) {
  for (uint32_t i = 0; i < range_count; i++) {
    struct mpipp_pages_range old = ranges[i];
    if (old.high <= low || old.low >= high) continue;
    memmove(&ranges[i], &ranges[i + 1], (--range_count - i) * sizeof *ranges);
    if (old.low < low) add(old.low, low);
    if (old.high > high) add(high, old.high);
    i--; // the remaining part does not overlap [low, high), and may be stored before it
  }
}

static void punch(uint64_t low, uint64_t high) {
  fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)low, (off_t)(high - low));
}

static int write_all(uint64_t low, uint64_t high) {
  while (low < high) {
    ssize_t done = pwrite(file, (const void *)(uintptr_t)low, high - low, (off_t)low);
    if (done <= 0) return 0;
    low += (uint64_t)done;
  }
  return 1;
}

static void set(struct mpipp_pages_range *range, uint64_t low, uint64_t high) {
  __atomic_store_n(&range->low, low, __ATOMIC_SEQ_CST);
  __atomic_store_n(&range->high, high, __ATOMIC_SEQ_CST);
}

static int is_in(const struct mpipp_pages_range *range, uint64_t address) {
  return address >= __atomic_load_n(&range->low, __ATOMIC_SEQ_CST) &&
         address < __atomic_load_n(&range->high, __ATOMIC_SEQ_CST);
}

void mpipp_guard_pages_contend(int others_store) {
  contended = others_store;
}

int mpipp_guard_pages_await(uint64_t address) {
  int waited = is_in(&exchanged, address);
  while (is_in(&exchanged, address)) sched_yield();
  return waited;
}

static int exchange(uint64_t low, uint64_t high) {
  int flags = MAP_SHARED | MAP_FIXED | MAP_POPULATE;
  void *at = (void *)(uintptr_t)low;
  if (!write_all(low, high)) return 0;
  return mmap(at, high - low, PROT_READ | PROT_WRITE, flags, file, (off_t)low) != MAP_FAILED;
}

// Blocks signals, except those that an instruction raises. Otherwise a signal handler that stores
// to the pages would wait forever for the thread that it has interrupted.
static void begin_exchange(uint64_t low, uint64_t high, sigset_t *before) {
  static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
  sigset_t others;
  sigfillset(&others);
  for (unsigned i = 0; i < sizeof own / sizeof *own; i++) sigdelset(&others, own[i]);
  pthread_sigmask(SIG_BLOCK, &others, before);
  set(&exchanged, low, high);
}

static void end_exchange(const sigset_t *before) {
  set(&exchanged, 0, 0);
  pthread_sigmask(SIG_SETMASK, before, NULL);
}

static int may_convert(uint64_t low, uint64_t high) {
  if (mpipp_guard_refuse_exchange(low, high)) return 0;
  if (range_count + 1 < MOST_RANGES) return 1;
  errno = ENOMEM;
  return 0;
}

// Exchanges the pages. Other threads that store to the pages wait until the exchange is done.
static int convert(uint64_t low, uint64_t high) {
  sigset_t before;
  if (!may_convert(low, high)) return 0;
  if (contended) begin_exchange(low, high, &before);
  widen(low, high); // from now on, the fault handler recognizes accesses of other threads
  int done = !contended || mpipp_guard_pages_allow(low, high, MPIPP_ALLOW_LOADS);
  done = done && exchange(low, high);
  if (done) add(low, high);
  if (contended && !done) mpipp_guard_pages_allow(low, high, MPIPP_ALLOW_ALL);
  if (contended) end_exchange(&before);
  return done;
}

// Returns whether all pages certainly belong to the file.
static int are_shared(uint64_t low, uint64_t high) {
  struct mpipp_mapping mapping;
  for (; low < high; low = mapping.end)
    if (!mpipp_guard_mapping_guess(low, &mapping) || !is_own(&mapping, low)) return 0;
  return 1;
}

static int share(uint64_t low, uint64_t high, int is_known, int (*change)(uint64_t, uint64_t)) {
  if (mpipp_guard_refuse_range(low, high)) return 0;
  if (are_shared(low, high)) return 1;
  if (!is_open()) return 0;
  while (low < high) {
    struct mpipp_mapping mapping;
    if (!mpipp_guard_mapping_at(low, &mapping)) return 0;
    uint64_t end = mapping.end < high ? mapping.end : high;
    if (!is_own(&mapping, low) &&
        (mpipp_guard_refuse_mapping(&mapping, low, end, is_known) || !change(low, end)))
      return 0;
    low = end;
  }
  return 1;
}

// Shares a large range in parts, because both copies of a part exist for a moment.
static int share_parts(uint64_t low, uint64_t high, int is_known,
                       int (*change)(uint64_t, uint64_t)) {
  int done = 1;
  for (uint64_t next; done && low < high; low = next) {
    next = high - low > PART ? low + PART : high;
    done = share(low, next, is_known, change);
  }
  return done;
}

int mpipp_guard_pages_share(uint64_t low, uint64_t high) {
  return share_parts(low, high, 0, convert);
}

int mpipp_guard_pages_share_remappable(uint64_t low, uint64_t high) {
  return share_parts(low, high, 1, convert);
}

int mpipp_guard_pages_may_share(uint64_t low, uint64_t high) {
  return share(low, high, 0, may_convert);
}

// The file must be extended: it has no pages yet for memory that is shared later.
int mpipp_guard_pages_show(void *at, uint64_t low, uint64_t high) {
  int flags =
      MAP_SHARED | MAP_FIXED | (mpipp_guard_pages_have_exchanged(low, high) ? MAP_POPULATE : 0);
  return is_open() && mmap(at, high - low, PROT_READ | PROT_WRITE, flags, file, (off_t)low) == at;
}

// Uses the system call directly, because the interposed function would take this for the program's
// own call.
static int protect(uint64_t low, uint64_t high, int mode) {
  return !syscall(SYS_mprotect, low, high - low, mode);
}

// Opens all mappings that contain any of these pages. No mapping is divided, so the limit for
// mappings does not matter.
static void open_mappings(uint64_t low, uint64_t high) {
  while (low < high) {
    struct mpipp_mapping mapping;
    int known = mpipp_guard_mapping_query_unlocked(low, &mapping);
    if (known < 0) return;
    if (known && is_own(&mapping, low)) protect(mapping.start, mapping.end, PROT_READ | PROT_WRITE);
    low = known ? mapping.end : mapping.start;
  }
}

int mpipp_guard_pages_allow(uint64_t low, uint64_t high, enum mpipp_page_access allowed) {
  static const int modes[] = {PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE};
  int saved = errno, done = protect(low, high, modes[allowed]);
  if (!done && allowed == MPIPP_ALLOW_ALL) open_mappings(low, high);
  errno = saved;
  return done;
}

// Each range may divide a mapping of other memory in two.
uint64_t mpipp_guard_pages_mappings(void) {
  return 2 * (uint64_t)range_count;
}

int mpipp_guard_pages_overlap(uint64_t low, uint64_t high) {
  return high > __atomic_load_n(&lowest, __ATOMIC_ACQUIRE) &&
         low < __atomic_load_n(&highest, __ATOMIC_ACQUIRE);
}

static int read_all(char *to, uint64_t low, uint64_t high) {
  while (low < high) {
    ssize_t got = pread(file, to, high - low, (off_t)low);
    if (got <= 0) return 0;
    to += got;
    low += (uint64_t)got;
  }
  return 1;
}

uint64_t mpipp_guard_pages_sum(uint64_t page) {
  uint64_t words[SUMMED], sum = 0; // small, because a signal handler's stack may be small
  int saved = errno, is_read = is_open();
  for (uint64_t at = page; is_read && at < page + MPIPP_PAGE; at += sizeof words) {
    is_read = read_all((char *)words, at, at + sizeof words);
    for (int i = 0; i < SUMMED; i++) sum = (sum ^ words[i]) * 0xBF58476D1CE4E5B9u + (sum >> 29);
  }
  errno = saved;
  return is_read ? sum : MPIPP_TOUCH_NO_SUM;
}

// Copies the file's content of these pages to private memory. Returns NULL without memory.
static void *copy_of(uint64_t low, uint64_t high) {
  void *copy = mmap(NULL, high - low, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (copy == MAP_FAILED) return NULL;
  if (is_open() && read_all(copy, low, high)) return copy;
  munmap(copy, high - low);
  return NULL;
}

// Uses the system call directly, because UCX replaces mremap by a function that loses the new
// address.
static int move(void *copy, uint64_t low, uint64_t high) {
  int flags = MREMAP_MAYMOVE | MREMAP_FIXED;
  if (syscall(SYS_mremap, copy, high - low, high - low, flags, low) != -1) return 1;
  munmap(copy, high - low);
  return 0;
}

// Calls the function for each part of [low, high) that still belongs to the file, because the
// program may have freed any part of it.
static void visit_own(uint64_t low, uint64_t high, void (*call)(uint64_t, uint64_t, uint32_t),
                      uint32_t with) {
  while (low < high) {
    struct mpipp_mapping mapping;
    int known = mpipp_guard_mapping_at(low, &mapping);
    uint64_t end = known ? mapping.end : mapping.start;
    if (end > high) end = high;
    if (known && is_own(&mapping, low)) call(low, end, with);
    low = end;
  }
}

static void make_private(uint64_t low, uint64_t high, uint32_t unused) {
  (void)unused;
  if (range_count + 2 > MOST_RANGES) return;
  sigset_t before;
  begin_exchange(low, high, &before);
  int is_closed = mpipp_guard_pages_allow(low, high, MPIPP_ALLOW_LOADS);
  void *copy = is_closed ? copy_of(low, high) : NULL;
  if (copy && move(copy, low, high)) {
    remove_range(low, high);
    punch(low, high);
  } else {
    mpipp_guard_pages_allow(low, high, MPIPP_ALLOW_ALL);
  }
  end_exchange(&before);
}

void mpipp_guard_pages_unshare(uint64_t low, uint64_t high) {
  int saved = errno;
  for (uint64_t next; is_open() && low < high; low = next) {
    next = high - low > PART ? low + PART : high;
    visit_own(low, next, make_private, 0);
  }
  errno = saved;
}

// Finds the first range, or part of a range, in [low, high). Returns 0 if there is none.
static int find_range(uint64_t low, uint64_t high, struct mpipp_pages_range *found) {
  for (uint32_t i = 0; i < range_count; i++) {
    if (ranges[i].high <= low) continue;
    found->low = ranges[i].low > low ? ranges[i].low : low;
    found->high = ranges[i].high < high ? ranges[i].high : high;
    return found->low < found->high;
  }
  return 0;
}

void mpipp_guard_pages_forget(uint64_t low, uint64_t high, int (*is_seen)(uint64_t, uint64_t)) {
  int saved = errno;
  struct mpipp_pages_range part;
  for (; is_open() && find_range(low, high, &part); low = part.high) {
    struct mpipp_mapping mapping;
    int known = mpipp_guard_mapping_from(part.low, &mapping);
    uint64_t end = known > 0 ? mapping.end : mapping.start;
    if (known < 0 || range_count == MOST_RANGES) break;
    if (end < part.high) part.high = end;
    if ((known && is_own(&mapping, part.low)) || is_seen(part.low, part.high)) continue;
    remove_range(part.low, part.high);
    punch(part.low, part.high);
  }
  errno = saved;
}

int mpipp_guard_pages_have_exchanged(uint64_t low, uint64_t high) {
  for (uint32_t i = 0; i < range_count; i++)
    if (ranges[i].low < high && low < ranges[i].high) return 1;
  return 0;
}

static void count_own(uint64_t low, uint64_t high, uint32_t unused) {
  (void)unused;
  own_bytes += high - low;
}

int mpipp_guard_pages_exist(uint64_t low, uint64_t high) {
  own_bytes = 0;
  visit_own(low, high, count_own, 0);
  return own_bytes == high - low;
}

int mpipp_guard_page_may_exist(uint64_t address) {
  struct mpipp_mapping mapping;
  int known = mpipp_guard_mapping_query_unlocked(address, &mapping);
  return known < 0 || (known && is_own(&mapping, address));
}

static void open_part(uint64_t low, uint64_t high, uint32_t unused) {
  (void)unused;
  mpipp_guard_pages_allow(low, high, MPIPP_ALLOW_ALL);
}

void mpipp_guard_pages_open_all(uint64_t low, uint64_t high) {
  visit_own(low, high, open_part, 0);
}

void mpipp_guard_pages_before_fork(void) {
  copy_count = range_count;
  for (uint32_t i = 0; i < copy_count; i++) {
    copies[i] = (struct mpipp_pages_copy){ranges[i], copy_of(ranges[i].low, ranges[i].high)};
    if (!copies[i].memory) mpipp_note_hindrance(MPIPP_HINDERED_FORK);
  }
}

void mpipp_guard_pages_after_fork(void) {
  for (uint32_t i = 0; i < copy_count; i++) {
    if (copies[i].memory) munmap(copies[i].memory, copies[i].of.high - copies[i].of.low);
  }
  copy_count = 0;
}

static void inherit(uint64_t low, uint64_t high, uint32_t i) {
  char *memory = copies[i].memory;
  if (memory && move(memory + (low - copies[i].of.low), low, high)) return;
  if (file >= 0)
    mmap((void *)(uintptr_t)low, high - low, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file,
         (off_t)low);
}

// In the child, copies replace the pages that still belong to the file. Without a copy, the child
// shares the page with its parent, but may only read it.
void mpipp_guard_pages_after_fork_in_child(void) {
  mpipp_guard_mappings_fork();
  set(&exchanged, 0, 0); // the thread that exchanged pages does not exist in the child
  for (uint32_t i = 0; i < copy_count; i++)
    visit_own(copies[i].of.low, copies[i].of.high, inherit, i);
  range_count = copy_count = 0;
  if (is_open()) close(file);
  file = -1;
}
