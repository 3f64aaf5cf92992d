// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "buffer_guard/compare/snapshots.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "buffer_guard/compare/buffer_pool.h"
#include "buffer_guard/compare/fill_pattern.h"
#include "buffer_guard/memory/accessible_memory.h"
#include "buffer_guard/memory/stacks.h"
#include "buffer_guard/platform/allocator.h"
#include "buffer_guard/platform/safe_access.h"
#include "recorder/threads/threads.h"

enum mpipp_state {
  RESTING,  // MPI does not use the buffer
  ACTIVE,   // compared when the operation completes
  SPOILED,  // like ACTIVE, but changes are not reported: another operation writes there, or the
            // budget leaves no time for this one
  GIVEN_UP, // the program has its own bytes again
  LEFT,     // like GIVEN_UP, and it is unknown whether the operation is complete
  GONE,     // the memory has another use now, so nothing is stored to it
};

struct mpipp_snapshot {
  struct mpipp_bytes bytes;
  uint64_t shift; // distance to the memory that MPI gets; 0 for a copy that leaves out gaps
  struct mpipp_pool_buffer *room; // NULL: MPI's memory belongs to an alias
  char *copy;                     // the bytes without the gaps; NULL: they are at distance `shift`
  uint32_t writes, shared;        // enum mpipp_memory
  uint32_t state, position;       // enum mpipp_state, and the index in `active`
  const struct mpipp_thread *thread; // the thread whose stack has the buffer; NULL: it is on no
                                     // stack
  struct mpipp_snapshot *next;       // next unused entry
};

enum { MOST = 1 << 14, MOST_SHARED = 64, ALIGNED = 64 };
#define MOST_BYTES ((uint64_t)1 << 26) // most bytes of one buffer that are compared

static struct mpipp_snapshot *active[MOST], *unused;
static struct mpipp_piece hulls[MOST]; // bounds of the active buffers
static uint32_t active_count, claimed_count;
// Every pending buffer on this thread's stack ends at or after this address.
static __thread uint64_t first_end __attribute__((tls_model("initial-exec"))) = ~(uint64_t)0;

static struct mpipp_snapshot *claim(void) {
  enum { AT_ONCE = 64 };
  static uint32_t made; // at most MOST, since any of them may become active
  if (!unused && made < MOST) {
    struct mpipp_snapshot *more = mpipp_guard_allocate(AT_ONCE * sizeof *more);
    if (more) made += AT_ONCE;
    for (int i = 0; more && i < AT_ONCE; i++) {
      more[i].next = unused;
      unused = &more[i];
    }
  }
  struct mpipp_snapshot *found = unused;
  if (!found) return NULL;
  unused = found->next;
  claimed_count++;
  return found;
}

static void recycle(struct mpipp_snapshot *compared) {
  compared->next = unused;
  unused = compared;
  claimed_count--;
}

int mpipp_guard_snapshots_are_crowded(void) {
  return claimed_count >= MOST / 2;
}

// The kind of memory of all the bytes, which may be far from each other.
static enum mpipp_memory memory_of(const struct mpipp_bytes *bytes) {
  if (bytes->strided.count) return mpipp_guard_memory_at(bytes->low, bytes->high);
  enum mpipp_memory least = MPIPP_MEMORY_OWN;
  for (uint64_t i = 0; i < bytes->count; i++) {
    struct mpipp_piece piece = mpipp_piece_of(bytes, i);
    enum mpipp_memory one = mpipp_guard_memory_at(piece.low, piece.high);
    if (one < least) least = one;
  }
  return least;
}

static int is_disjoint(const struct mpipp_bytes *bytes) {
  for (uint64_t i = 1; !bytes->strided.count && i < bytes->count; i++) {
    if (bytes->pieces[i].low < bytes->pieces[i - 1].high) return 0;
  }
  return 1;
}

// Allocates memory for the copy. Returns 0 without memory.
static int allocate_copy(struct mpipp_snapshot *compared) {
  const struct mpipp_bytes *bytes = &compared->bytes;
  enum mpipp_memory memory = memory_of(bytes);
  compared->shared = memory == MPIPP_MEMORY_SHARED;
  if (bytes->low < MPIPP_PAGE || bytes->total > MOST_BYTES || memory == MPIPP_MEMORY_OTHER)
    return 0;
  if (compared->shared && (compared->writes || bytes->count > MOST_SHARED)) return 0;
  if (compared->writes && !is_disjoint(bytes)) return 0;
  uint64_t before = compared->writes ? bytes->low % ALIGNED : 0;
  compared->room =
      mpipp_guard_pool_take(compared->writes ? before + bytes->high - bytes->low : bytes->total);
  if (!compared->room) return 0;
  if (compared->writes)
    compared->shift = (uint64_t)(uintptr_t)compared->room->memory + before - bytes->low;
  else
    compared->copy = compared->room->memory;
  return 1;
}

// The thread whose stack has the bytes, if they are in a frame that still exists: existing frames
// are further out.
static const struct mpipp_thread *stack_of(const struct mpipp_bytes *bytes) {
  const struct mpipp_thread *self = mpipp_recorder_self;
  int own = bytes->low >= self->stack_start && bytes->high <= self->stack_end;
  return own && bytes->low > self->call.frame ? self : NULL;
}

struct mpipp_snapshot *mpipp_guard_snapshot_new(const struct mpipp_bytes *bytes, uint64_t alias,
                                                int writes) {
  struct mpipp_snapshot *compared = claim();
  if (!compared) return NULL;
  *compared = (struct mpipp_snapshot){
      .bytes = *bytes, .shift = alias, .writes = (uint32_t)writes, .state = RESTING};
  if (alias || allocate_copy(compared)) {
    if (!alias) compared->thread = stack_of(bytes);
    return compared;
  }
  recycle(compared);
  return NULL;
}

uint64_t mpipp_guard_snapshot_shift(const struct mpipp_snapshot *compared) {
  return compared->copy ? 0 : compared->shift;
}

// The state of one pass over the blocks of a buffer.
struct mpipp_work {
  struct mpipp_snapshot *compared;
  struct mpipp_change *change; // the change to report; NULL: changes are not wanted, or one was
                               // found
  uint64_t done;               // number of blocks done
};

static inline void copy(void *to, const void *from, uint64_t bytes) {
  if (bytes == sizeof(uint64_t)) // one element of a matrix column is the most frequent size
    memcpy(to, from, sizeof(uint64_t));
  else
    memcpy(to, from, bytes);
}

static inline int is_same(const void *one, const void *other, uint64_t bytes) {
  if (bytes != sizeof(uint64_t)) return memcmp(one, other, bytes) == 0;
  uint64_t first, second;
  memcpy(&first, one, sizeof first);
  memcpy(&second, other, sizeof second);
  return first == second;
}

static char *pointer_to(uint64_t address) {
  return (char *)(uintptr_t)address;
}

// Reads by a system call, because other processes may shorten the file behind the memory at any
// time.
static int read_shared_memory(char *to, struct mpipp_piece piece) {
  struct iovec local = {to, piece.high - piece.low},
               remote = {pointer_to(piece.low), local.iov_len};
  int saved = errno;
  ssize_t got = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
  errno = saved;
  return (uint64_t)got == local.iov_len;
}

static void keep(void *argument) {
  struct mpipp_work *work = argument;
  struct mpipp_snapshot *compared = work->compared;
  char *to = compared->copy;
  for (; work->done < compared->bytes.count; work->done++) {
    struct mpipp_piece piece = mpipp_piece_of(&compared->bytes, work->done);
    uint64_t bytes = piece.high - piece.low;
    if (!compared->copy) to = pointer_to(piece.low + compared->shift);
    if (!compared->shared)
      copy(to, pointer_to(piece.low), bytes);
    else if (!read_shared_memory(to, piece))
      return;
    if (compared->writes) mpipp_pattern_put(piece.low, bytes);
    to += bytes;
  }
}

// Records the bytes around the first change, within its block.
static void record_change(struct mpipp_change *change, const char *before, const char *now,
                          struct mpipp_piece piece, uint64_t first) {
  enum { AHEAD = MPIPP_CHANGE_BYTES / 2 };
  uint64_t bytes = piece.high - piece.low, start = first < AHEAD ? 0 : first - AHEAD;
  uint64_t count = bytes - start < MPIPP_CHANGE_BYTES ? bytes - start : MPIPP_CHANGE_BYTES;
  change->address = piece.low + first;
  change->start = piece.low + start;
  change->count = count;
  change->kind = before ? MPIPP_CHANGE_SENT : MPIPP_CHANGE_RECEIVED;
  memcpy(change->now, now + start, count);
  if (before) memcpy(change->before, before + start, count);
}

static void find(struct mpipp_work *work, const char *before, const char *now,
                 struct mpipp_piece piece) {
  uint64_t first = 0, bytes = piece.high - piece.low;
  while (first < bytes && before[first] == now[first]) first++;
  if (first == bytes) return; // they differed a moment ago: another thread has restored them
  record_change(work->change, before, now, piece, first);
  work->change = NULL;
}

static void compare(void *argument) {
  struct mpipp_work *work = argument;
  struct mpipp_snapshot *compared = work->compared;
  const char *before = compared->copy;
  char *fetched = NULL;
  for (uint64_t i = 0; work->change && i < compared->bytes.count; i++) {
    struct mpipp_piece piece = mpipp_piece_of(&compared->bytes, i);
    uint64_t bytes = piece.high - piece.low;
    if (!compared->copy) before = pointer_to(piece.low + compared->shift);
    const char *now = pointer_to(piece.low);
    if (compared->shared) {
      fetched = mpipp_guard_allocate(bytes);
      if (!fetched || !read_shared_memory(fetched, piece)) break;
      now = fetched;
    }
    if (!is_same(now, before, bytes)) find(work, before, now, piece);
    before += bytes;
    mpipp_guard_free(fetched);
    fetched = NULL;
  }
  mpipp_guard_free(fetched);
}

// Searches a block that has the fill pattern: bytes that differ were stored by the program.
static void find_store(struct mpipp_work *work, struct mpipp_piece piece) {
  uint64_t bytes = piece.high - piece.low;
  uint64_t first = work->change ? mpipp_pattern_differs(piece.low, bytes) : bytes;
  if (first == bytes) return;
  record_change(work->change, NULL, pointer_to(piece.low), piece, first);
  work->change = NULL;
}

static void check(void *argument) {
  struct mpipp_work *work = argument;
  for (uint64_t i = 0; work->change && i < work->compared->bytes.count; i++)
    find_store(work, mpipp_piece_of(&work->compared->bytes, i));
}

// Copies the bytes that MPI has written to the program's memory.
static void receive(void *argument) {
  struct mpipp_work *work = argument;
  const struct mpipp_snapshot *compared = work->compared;
  for (uint64_t i = 0; i < compared->bytes.count; i++) {
    struct mpipp_piece piece = mpipp_piece_of(&compared->bytes, i);
    uint64_t bytes = piece.high - piece.low;
    const char *from = pointer_to(piece.low + compared->shift);
    if (compared->state == SPOILED) {
      mpipp_pattern_replace(piece.low, bytes, from);
      continue;
    }
    find_store(work, piece);
    copy(pointer_to(piece.low), from, bytes);
  }
}

// Copies all bytes of the first blocks from MPI's memory to the program's.
static void restore(void *argument) {
  const struct mpipp_work *work = argument;
  const struct mpipp_snapshot *compared = work->compared;
  for (uint64_t i = 0; i < work->done; i++) {
    struct mpipp_piece piece = mpipp_piece_of(&compared->bytes, i);
    copy(pointer_to(piece.low), pointer_to(piece.low + compared->shift), piece.high - piece.low);
  }
}

static void leave_active(struct mpipp_snapshot *compared) {
  struct mpipp_snapshot *last = active[--active_count];
  active[compared->position] = last;
  hulls[compared->position] = hulls[active_count];
  last->position = compared->position;
}

int mpipp_guard_snapshot_begin(struct mpipp_snapshot *compared, int looks) {
  struct mpipp_work work = {.compared = compared};
  if (compared->state != RESTING)
    mpipp_guard_snapshot_end(compared, NULL); // for an operation that MPI did not start
  if (!looks && compared->copy) return 1;     // MPI gets the program's own bytes
  int whole = mpipp_guard_try(keep, &work) && work.done == compared->bytes.count;
  if (!whole) {
    if (compared->writes) mpipp_guard_try(restore, &work);
    return 0;
  }
  compared->state = looks ? ACTIVE : SPOILED;
  compared->position = active_count;
  hulls[active_count] = (struct mpipp_piece){compared->bytes.low, compared->bytes.high};
  active[active_count++] = compared;
  if (compared->thread && compared->bytes.high < first_end) first_end = compared->bytes.high;
  return 1;
}

int mpipp_guard_snapshot_end(struct mpipp_snapshot *compared, struct mpipp_change *change) {
  if (compared->state == RESTING) return 0;
  struct mpipp_work work = {.compared = compared, .done = compared->bytes.count};
  if (compared->state == ACTIVE) work.change = change;
  int comes_in = compared->state == GIVEN_UP || (compared->state == LEFT && change);
  if (comes_in && compared->writes)
    mpipp_guard_try_deliver(restore, &work);
  else if ((compared->state == ACTIVE || compared->state == SPOILED) && compared->writes)
    mpipp_guard_try_deliver(receive, &work);
  else if (compared->state == ACTIVE)
    mpipp_guard_try(compare, &work);
  int found = compared->state == ACTIVE && change && !work.change;
  leave_active(compared);
  compared->state = RESTING;
  return found;
}

int mpipp_guard_snapshot_check(struct mpipp_snapshot *compared, struct mpipp_change *change) {
  struct mpipp_work work = {.compared = compared, .change = change};
  if (compared->state != ACTIVE) return 0;
  // In a process that exits outside MPI, the function with this buffer may have returned.
  if (compared->thread && mpipp_recorder_self->call.state != MPIPP_CALL_ACTIVE) return 0;
  mpipp_guard_try(compared->writes ? check : compare, &work);
  return !work.change;
}

int mpipp_guard_snapshot_is_active(const struct mpipp_snapshot *compared) {
  return __atomic_load_n(&compared->state, __ATOMIC_RELAXED) == ACTIVE;
}

void mpipp_guard_snapshot_drop(struct mpipp_snapshot *compared) {
  if (compared->state != RESTING) mpipp_guard_snapshot_end(compared, NULL);
  if (compared->room) mpipp_guard_pool_return(compared->room);
  recycle(compared);
}

static int is_lent(const struct mpipp_snapshot *compared) {
  return compared->state == ACTIVE || compared->state == SPOILED;
}

void mpipp_guard_snapshot_abandon(struct mpipp_snapshot *compared) {
  struct mpipp_work work = {.compared = compared, .done = compared->bytes.count};
  if (!is_lent(compared)) return;
  if (compared->writes) mpipp_guard_try_deliver(restore, &work);
  compared->state = GIVEN_UP;
}

void mpipp_guard_snapshots_abandon_call(void) {
  for (uint32_t i = 0; i < active_count; i++) {
    if (!is_lent(active[i])) continue;
    int writes = (int)active[i]->writes;
    if (writes) mpipp_guard_snapshot_abandon(active[i]);
    active[i]->state = writes ? LEFT : SPOILED;
  }
}

void mpipp_guard_snapshot_spoil(struct mpipp_snapshot *compared) {
  if (compared->state == ACTIVE) compared->state = SPOILED;
}

int mpipp_guard_snapshots_spoil(const struct mpipp_bytes *bytes) {
  int any = 0;
  for (uint32_t i = 0; i < active_count; i++) {
    if (hulls[i].low >= bytes->high || bytes->low >= hulls[i].high) continue;
    if (!mpipp_guard_bytes_overlap(&active[i]->bytes, bytes)) continue;
    mpipp_guard_snapshot_spoil(active[i]);
    any = 1;
  }
  return any;
}

void mpipp_guard_snapshot_forget_memory(struct mpipp_snapshot *compared) {
  if (compared->state != RESTING) compared->state = GONE;
}

uint64_t mpipp_guard_snapshot_find_dangling(struct mpipp_snapshot *compared, uint64_t frame) {
  if (compared->thread != mpipp_recorder_self || compared->state == RESTING ||
      compared->state == GONE)
    return 0;
  if (compared->bytes.high > frame || frame >= compared->thread->stack_end) return 0;
  compared->state = GONE;
  return compared->bytes.low;
}

int mpipp_guard_snapshots_may_dangle(uint64_t frame) {
  if (MPIPP_LIKELY(frame < first_end) || frame >= mpipp_recorder_self->stack_end) return 0;
  if (!mpipp_guard_is_on_own_stack()) return 0;
  first_end = ~(uint64_t)0;
  int any = 0;
  for (uint32_t i = 0; i < active_count; i++) {
    const struct mpipp_snapshot *one = active[i];
    if (one->thread != mpipp_recorder_self || one->state == GONE) continue;
    if (one->bytes.high <= frame)
      any = 1;
    else if (one->bytes.high < first_end)
      first_end = one->bytes.high;
  }
  return any;
}

void mpipp_guard_snapshots_fork(void) {
  for (uint32_t i = 0; i < active_count; i++) {
    if (active[i]->writes) mpipp_guard_snapshot_abandon(active[i]);
  }
}
