// SPDX-License-Identifier: MIT
#include "buffer_guard/operations/pending.h"

#include <stddef.h>

#include "abi/vendor.h"
#include "buffer_guard/compare/memcheck.h"
#include "buffer_guard/memory/locked_pages.h"
#include "buffer_guard/memory/pages.h"
#include "buffer_guard/memory/window_memory.h"
#include "buffer_guard/operations/owned_bytes.h"
#include "buffer_guard/operations/rma_requests.h"
#include "buffer_guard/platform/io_uring.h"
#include "generated/procedures.h"
#include "registry/object_store.h"
#include "registry/registry.h"

enum { HEADS = 1024, WORD = 64, WORDS = MPIPP_MOST_GUARDED / WORD }; // HEADS is a power of two

static struct mpipp_guarded_operation all[MPIPP_MOST_GUARDED];
uint32_t mpipp_guard_kept_count;
uint32_t mpipp_guard_named_count;
uint32_t mpipp_guard_count;
uint64_t mpipp_guard_begun_count;
// The bounds of all buffers of pending operations.
uint64_t mpipp_guard_low = ~(uint64_t)0, mpipp_guard_high;
static uint32_t pending;
static uint64_t taken[WORDS]; // one bit for each entry of the table
static uint32_t used;         // number of entries that were ever used
static uint32_t aliases;      // number of aliases that all operations use
// Hash lists of operations by request handle. A link is 1 + the index of an entry; 0 ends a list.
static uint32_t heads[HEADS];

static void set_state(struct mpipp_guarded_operation *guarded, enum mpipp_guarded_state state) {
  __atomic_store_n(&guarded->state, state, __ATOMIC_RELEASE);
}

static uint32_t *head_of(uint64_t request) {
  return &heads[(request * 0x9E3779B97F4A7C15u) >> 32 & (HEADS - 1)];
}

// The first free entry. Low entries are used first, so that a search visits few.
static uint32_t first_free(void) {
  for (uint32_t i = 0; i < WORDS; i++) {
    if (~taken[i]) return i * WORD + (uint32_t)__builtin_ctzll(~taken[i]);
  }
  return MPIPP_MOST_GUARDED;
}

static void set_taken(uint32_t i, int is_taken) {
  uint64_t bit = (uint64_t)1 << i % WORD;
  taken[i / WORD] = is_taken ? taken[i / WORD] | bit : taken[i / WORD] & ~bit;
  uint32_t end = used > i ? used : i + 1;
  while (end && !(taken[(end - 1) / WORD] >> (end - 1) % WORD & 1)) end--;
  __atomic_store_n(&used, end, __ATOMIC_RELEASE);
}

struct mpipp_guarded_operation *mpipp_guard_new(void) {
  uint32_t i = first_free();
  if (i == MPIPP_MOST_GUARDED) return NULL;
  struct mpipp_guarded_operation *guarded = &all[i];
  guarded->part_count = guarded->persistent = guarded->filled = guarded->next = 0;
  guarded->request = guarded->serial = guarded->win = guarded->place = guarded->claim = 0;
  set_state(guarded, MPIPP_GUARDED_POSTED);
  mpipp_guard_count++;
  set_taken(i, 1);
  return guarded;
}

// Sets up a part: an alias for the pages that contain only the buffer, and a comparison for the
// other bytes. Returns 0 if the part cannot be guarded.
static int set_up_part(struct mpipp_part *part, enum mpipp_sharing how) {
  if (mpipp_guard_memcheck && part->writes) return 1;
  part->alias = mpipp_guard_memcheck ? NULL : mpipp_guard_alias_take(&part->bytes, how);
  if (!part->alias) {
    part->compared = mpipp_guard_snapshot_new(&part->bytes, 0, (int)part->writes);
    part->shift = part->compared ? mpipp_guard_snapshot_shift(part->compared) : 0;
    return part->compared != NULL;
  }
  part->shift = mpipp_alias_address(part->alias, 0);
  if (!part->alias->edge_count) return 1;
  struct mpipp_bytes edges =
      mpipp_guard_bytes_of_pieces(part->alias->edges, part->alias->edge_count);
  part->compared = mpipp_guard_snapshot_new(&edges, part->shift, (int)part->writes);
  if (!part->compared) mpipp_guard_alias_give(part->alias);
  return part->compared != NULL;
}

// MPI will write these bytes: ends the comparison of other operations that have any. Returns 1
// then.
static int spoil_overlaps(const struct mpipp_bytes *bytes) {
  int any = mpipp_guard_snapshots_spoil(bytes);
  for (uint32_t i = 0, left = aliases; left && i < used; i++) {
    for (uint32_t j = 0; all[i].state != MPIPP_GUARDED_FREE && j < all[i].part_count; j++) {
      const struct mpipp_part *part = &all[i].parts[j];
      if (!part->alias) continue;
      left--;
      if (all[i].state == MPIPP_GUARDED_PENDING)
        any |= mpipp_guard_bytes_overlap(&part->bytes, bytes);
    }
  }
  return any;
}

void mpipp_guard_add(struct mpipp_guarded_operation *guarded, struct mpipp_bytes *bytes,
                     uint32_t buffer, int writes) {
  struct mpipp_part *part = &guarded->parts[guarded->part_count];
  *part = (struct mpipp_part){.bytes = *bytes, .buffer = buffer, .writes = (uint32_t)writes};
  // If another operation uses the memory, a fill pattern there would not stay.
  enum mpipp_sharing how = guarded->persistent ? MPIPP_SHARE_AT_START : MPIPP_SHARE_NOW;
  if ((writes && spoil_overlaps(bytes)) || !set_up_part(part, how)) {
    mpipp_guard_bytes_give(bytes);
    return;
  }
  guarded->part_count++;
  aliases += part->alias != NULL;
}

static void compare_partitions(struct mpipp_partitions *partitions, const struct mpipp_call *call,
                               uint32_t buffer) {
  for (int64_t i = 0; i < call->buffers[buffer].peers; i++) {
    struct mpipp_bytes bytes;
    if (mpipp_guard_bytes_of_share(call, buffer, (uint64_t)i, &bytes))
      mpipp_guard_partitions_compare(partitions, (uint64_t)i, &bytes);
  }
}

void mpipp_guard_add_partitions(struct mpipp_guarded_operation *guarded, struct mpipp_bytes *bytes,
                                const struct mpipp_call *call, uint32_t buffer, int writes) {
  struct mpipp_part *part = &guarded->parts[guarded->part_count];
  *part = (struct mpipp_part){.bytes = *bytes, .buffer = buffer, .writes = (uint32_t)writes};
  int fine =
      bytes->strided.count == 1 && !mpipp_guard_memcheck && !(writes && spoil_overlaps(bytes));
  enum mpipp_sharing how = writes ? MPIPP_SHARE_AT_START : MPIPP_SHARE_USED;
  part->alias = fine ? mpipp_guard_alias_take(bytes, how) : NULL;
  if (part->alias || !writes || (mpipp_guard_memcheck && !spoil_overlaps(bytes)))
    part->partitions =
        mpipp_guard_partitions_new(part->alias, bytes, call->buffers[buffer].peers, writes);
  if (!part->partitions) {
    if (part->alias) mpipp_guard_alias_give(part->alias);
    mpipp_guard_bytes_give(bytes);
    return;
  }
  if (!writes || mpipp_guard_memcheck) compare_partitions(part->partitions, call, buffer);
  guarded->part_count++;
  if (!part->alias) return;
  part->shift = mpipp_alias_address(part->alias, 0);
  aliases++;
}

void mpipp_guard_name(struct mpipp_guarded_operation *guarded, uint64_t request, uint64_t serial) {
  uint32_t *head = head_of(request);
  guarded->request = request;
  guarded->serial = serial;
  guarded->next = *head;
  __atomic_store_n(&mpipp_guard_named_count, mpipp_guard_named_count + 1, __ATOMIC_RELAXED);
  *head = (uint32_t)(guarded - all) + 1;
}

static void unlist(const struct mpipp_guarded_operation *guarded) {
  __atomic_store_n(&mpipp_guard_named_count, mpipp_guard_named_count - 1, __ATOMIC_RELAXED);
  uint32_t *at = head_of(guarded->request), number = (uint32_t)(guarded - all) + 1;
  while (*at && *at != number) at = &all[*at - 1].next;
  if (*at) *at = guarded->next;
}

static int overlaps(const struct mpipp_bytes *one, const struct mpipp_bytes *other) {
  return one->low < other->high && other->low < one->high;
}

// Protects a part's pages in [low, high). Returns 0 if the system has no memory for that.
static int forbid_pages(const struct mpipp_part *part, uint64_t low, uint64_t high) {
  if (part->partitions) return mpipp_guard_partitions_forbid(part->partitions, low, high);
  enum mpipp_page_access allowed = part->writes ? MPIPP_ALLOW_NOTHING : MPIPP_ALLOW_LOADS;
  for (uint64_t i = mpipp_guard_alias_run(part->alias, low); i < part->alias->run_count; i++) {
    struct mpipp_piece run = part->alias->runs[i];
    uint64_t from = run.low > low ? run.low : low, to = run.high < high ? run.high : high;
    if (from >= to) break;
    if (!mpipp_guard_pages_allow(from, to, allowed)) return 0;
  }
  return 1;
}

// Opens pages of freed memory: they have another owner, which may have mapped them again.
static void open_freed_memory(const struct mpipp_part *part) {
  for (uint64_t i = 0; part->alias && i < part->alias->run_count; i++)
    mpipp_guard_pages_open_all(part->alias->runs[i].low, part->alias->runs[i].high);
}

// Protects an operation's pages in [low, high), except in memory that the program has freed.
static void forbid(struct mpipp_part *part, uint64_t low, uint64_t high) {
  if (part->is_open || !part->alias || mpipp_is_part_freed(part)) return;
  if (!forbid_pages(part, low, high)) {
    mpipp_registry.crowded++;
    __atomic_store_n(&part->is_open, 1, __ATOMIC_RELEASE);
    mpipp_guard_alias_open(part->alias);
  }
  if (mpipp_is_part_freed(part)) open_freed_memory(part);
}

// Counts an operation as pending, until narrow() is called, and extends the bounds of buffers.
static void widen(const struct mpipp_guarded_operation *guarded) {
  for (uint32_t i = 0; i < guarded->part_count; i++) {
    const struct mpipp_bytes *bytes = &guarded->parts[i].bytes;
    if (bytes->low < mpipp_guard_low)
      __atomic_store_n(&mpipp_guard_low, bytes->low, __ATOMIC_RELEASE);
    if (bytes->high > mpipp_guard_high)
      __atomic_store_n(&mpipp_guard_high, bytes->high, __ATOMIC_RELEASE);
  }
  pending++;
}

static void narrow(void) {
  if (--pending) return;
  __atomic_store_n(&mpipp_guard_low, ~(uint64_t)0, __ATOMIC_RELEASE);
  __atomic_store_n(&mpipp_guard_high, 0, __ATOMIC_RELEASE);
}

// Returns whether others than the program's threads may use the pages at any time, or the program
// protects them itself.
static int has_other_users(const struct mpipp_bytes *bytes) {
  return mpipp_guard_uses_io_uring || mpipp_guard_is_exposed(bytes->low, bytes->high) ||
         mpipp_guard_is_protected(mpipp_page_down(bytes->low), mpipp_page_up(bytes->high));
}

void mpipp_guard_begin(struct mpipp_guarded_operation *guarded) {
  int are_left = 0;
  guarded->number = mpipp_guard_begun_count + 1;
  __atomic_store_n(&mpipp_guard_begun_count, guarded->number, __ATOMIC_RELAXED);
  if (guarded->state != MPIPP_GUARDED_PENDING) widen(guarded);
  set_state(guarded, MPIPP_GUARDED_PENDING);
  for (uint32_t i = 0; i < guarded->part_count; i++) {
    struct mpipp_part *part = &guarded->parts[i];
    uint32_t was_open = part->is_open;
    __atomic_store_n(&part->freed, 0, __ATOMIC_SEQ_CST);
    // The memory may have been exposed since the alias took the pages.
    if (part->alias && has_other_users(&part->bytes)) part->is_open = 1;
    forbid(part, 0, ~(uint64_t)0);
    are_left |= part->is_open && !was_open;
    const char *name = mpipp_procedure_names[guarded->procedure];
    if (mpipp_guard_memcheck && part->writes)
      part->marked = 1 + mpipp_guard_memcheck_forbid(&part->bytes, name);
  }
  guarded->cover->pages -= (uint64_t)are_left;
  guarded->cover->nothing += (uint64_t)are_left;
}

// The pages of a buffer were opened: restores the protection that other operations need there.
static void restore_protection(const struct mpipp_bytes *bytes) {
  for (uint32_t i = 0; i < used; i++) {
    if (all[i].state != MPIPP_GUARDED_PENDING) continue;
    for (uint32_t j = 0; j < all[i].part_count; j++) {
      if (overlaps(&all[i].parts[j].bytes, bytes))
        forbid(&all[i].parts[j], mpipp_page_down(bytes->low), bytes->high);
    }
  }
}

// Gives the pages back to the program, except pages that other operations also protect.
static void open_part(const struct mpipp_part *part) {
  if (!part->alias) return;
  if (mpipp_is_part_freed(part))
    open_freed_memory(part);
  else
    mpipp_guard_alias_open(part->alias);
  restore_protection(&part->bytes);
}

static void release(struct mpipp_guarded_operation *guarded) {
  if (guarded->state != MPIPP_GUARDED_PENDING) return;
  set_state(guarded, MPIPP_GUARDED_POSTED);
  narrow();
  for (uint32_t i = 0; i < guarded->part_count; i++) {
    struct mpipp_part *part = &guarded->parts[i];
    if (!part->is_open) open_part(part);
    if (part->marked) mpipp_guard_memcheck_allow(&part->bytes, part->marked - 1);
    part->marked = 0;
  }
}

void mpipp_guard_drop(struct mpipp_guarded_operation *guarded) {
  release(guarded);
  for (uint32_t i = 0; i < guarded->part_count; i++) {
    struct mpipp_part *part = &guarded->parts[i];
    if (part->compared) mpipp_guard_snapshot_drop(part->compared);
    if (part->partitions) mpipp_guard_partitions_drop(part->partitions);
    if (part->alias) mpipp_guard_alias_give(part->alias);
    aliases -= part->alias != NULL;
    mpipp_guard_bytes_give(&part->bytes);
  }
  if (guarded->serial) unlist(guarded);
  mpipp_guard_count--;
  set_state(guarded, MPIPP_GUARDED_FREE);
  set_taken((uint32_t)(guarded - all), 0);
}

// Copies data that MPI has received outside whole pages to the program. Reports the first change.
static int hand_over(const struct mpipp_guarded_operation *guarded, struct mpipp_change *change) {
  int found = 0;
  for (uint32_t i = 0; i < guarded->part_count; i++) {
    const struct mpipp_part *part = &guarded->parts[i];
    struct mpipp_snapshot *compared = part->compared;
    int is_there = !mpipp_is_part_freed(part);
    if (part->partitions) {
      found |= mpipp_guard_partitions_end(part->partitions, is_there, found ? NULL : change);
      continue;
    }
    if (part->alias && part->writes && is_there) mpipp_guard_alias_empty(part->alias);
    if (compared && !is_there) mpipp_guard_snapshot_forget_memory(compared);
    if (compared) found |= mpipp_guard_snapshot_end(compared, found ? NULL : change);
  }
  return found;
}

int mpipp_guard_doubt(struct mpipp_guarded_operation *guarded, struct mpipp_change *change) {
  int found = 0;
  for (uint32_t i = 0; guarded->state == MPIPP_GUARDED_PENDING && i < guarded->part_count; i++) {
    struct mpipp_part *part = &guarded->parts[i];
    if (part->compared) {
      if (change && !found && !mpipp_is_part_freed(part))
        found = mpipp_guard_snapshot_check(part->compared, change);
      mpipp_guard_snapshot_spoil(part->compared);
    }
    if (!part->alias || part->is_open) continue;
    __atomic_store_n(&part->is_open, 1, __ATOMIC_RELEASE);
    open_part(part);
  }
  return found;
}

int mpipp_guard_end(struct mpipp_guarded_operation *guarded, struct mpipp_change *change) {
  if (guarded->state == MPIPP_GUARDED_INACTIVE) {
    if (guarded->filled) hand_over(guarded, NULL); // MPI did not start the operation
    guarded->filled = 0;
    return 0;
  }
  int kept = guarded->state == MPIPP_GUARDED_KEPT;
  release(guarded);
  int found = hand_over(guarded, change);
  guarded->filled = 0;
  if (kept) mpipp_guard_kept_count--;
  if (guarded->persistent && !kept)
    set_state(guarded, MPIPP_GUARDED_INACTIVE);
  else
    mpipp_guard_drop(guarded);
  return found;
}

void mpipp_guard_set_inactive(struct mpipp_guarded_operation *guarded) {
  set_state(guarded, MPIPP_GUARDED_INACTIVE);
}

int mpipp_guard_fill(struct mpipp_guarded_operation *guarded, int looks) {
  int fine = 1;
  guarded->filled = 1;
  guarded->looks = (uint32_t)looks;
  for (uint32_t i = 0; i < guarded->part_count; i++) {
    struct mpipp_part *part = &guarded->parts[i];
    struct mpipp_snapshot *compared = part->compared;
    if (guarded->persistent && (part->alias || part->partitions)) {
      int shared = part->partitions ? mpipp_guard_partitions_begin(part->partitions, looks)
                                    : mpipp_guard_alias_restart(part->alias, MPIPP_SHARE_NOW);
      part->is_open = !looks || !shared || has_other_users(&part->bytes);
    }
    if (compared && !mpipp_guard_snapshot_begin(compared, looks)) fine = 0;
  }
  return fine;
}

int mpipp_guard_has_other_memory(const struct mpipp_guarded_operation *guarded) {
  for (uint32_t i = 0; i < guarded->part_count; i++) {
    if (guarded->parts[i].shift) return 1;
  }
  return 0;
}

void mpipp_guard_keep(struct mpipp_guarded_operation *guarded) {
  release(guarded);
  for (uint32_t i = 0; i < guarded->part_count; i++) {
    if (guarded->parts[i].compared) mpipp_guard_snapshot_abandon(guarded->parts[i].compared);
  }
  mpipp_guard_kept_count++;
  set_state(guarded, MPIPP_GUARDED_KEPT);
}

void mpipp_guard_mark(struct mpipp_guarded_operation *guarded, int64_t number) {
  struct mpipp_part *part = &guarded->parts[0];
  if (guarded->state != MPIPP_GUARDED_PENDING || !part->partitions) return;
  if (mpipp_is_part_freed(part)) return;
  const struct mpipp_block bounds = mpipp_guard_partitions_pages(part->partitions);
  struct mpipp_block pages = mpipp_guard_partitions_mark(part->partitions, number);
  if (pages.low < bounds.low) pages.low = bounds.low;
  if (pages.high > bounds.high) pages.high = bounds.high;
  if (pages.low >= pages.high || part->is_open) return;
  if (part->writes)
    mpipp_guard_pages_allow(pages.low, pages.high, MPIPP_ALLOW_ALL);
  else
    forbid(part, pages.low, pages.high);
}

static int has_request(const struct mpipp_guarded_operation *guarded) {
  return guarded->state == MPIPP_GUARDED_PENDING || guarded->state == MPIPP_GUARDED_INACTIVE;
}

struct mpipp_guarded_operation *mpipp_guard_next_kept(struct mpipp_guarded_operation *after) {
  uint32_t count = __atomic_load_n(&used, __ATOMIC_ACQUIRE);
  for (uint32_t i = after ? (uint32_t)(after - all) + 1 : 0; i < count; i++) {
    if (__atomic_load_n(&all[i].state, __ATOMIC_ACQUIRE) == MPIPP_GUARDED_KEPT) return &all[i];
  }
  return NULL;
}

struct mpipp_guarded_operation *mpipp_guard_any_operation(void) {
  for (uint32_t i = 0; i < used; i++) {
    if (has_request(&all[i])) return &all[i];
  }
  return NULL;
}

struct mpipp_guarded_operation *mpipp_guard_find_operation(uint64_t request, uint64_t serial) {
  for (uint32_t i = *head_of(request); i; i = all[i - 1].next) {
    struct mpipp_guarded_operation *one = &all[i - 1];
    int is_it = serial ? one->serial == serial : !(one->serial & MPIPP_ACCESS);
    if (one->request == request && is_it && has_request(one)) return one;
  }
  return NULL;
}

struct mpipp_guarded_operation *
mpipp_guard_next_with_handle(uint64_t request, const struct mpipp_guarded_operation *after) {
  uint32_t i = after ? after->next : *head_of(request);
  while (i && (all[i - 1].request != request || !has_request(&all[i - 1]))) i = all[i - 1].next;
  return i ? &all[i - 1] : NULL;
}

void mpipp_guard_expose(void) {
  for (uint32_t i = 0; i < used; i++) {
    for (uint32_t j = 0; all[i].state == MPIPP_GUARDED_PENDING && j < all[i].part_count; j++) {
      struct mpipp_part *part = &all[i].parts[j];
      if (part->is_open || !has_other_users(&part->bytes)) continue;
      __atomic_store_n(&part->is_open, 1, __ATOMIC_RELEASE);
      open_part(part);
    }
  }
}

struct mpipp_guarded_operation *mpipp_guard_next_on_window(struct mpipp_guarded_operation *after,
                                                           uint64_t win) {
  for (uint32_t i = after ? (uint32_t)(after - all) + 1 : 0; i < used; i++) {
    if (all[i].state == MPIPP_GUARDED_PENDING && all[i].win == win) return &all[i];
  }
  return NULL;
}

struct mpipp_guarded_operation *mpipp_guard_next_changed(struct mpipp_guarded_operation *after,
                                                         struct mpipp_change *change) {
  for (uint32_t i = after ? (uint32_t)(after - all) + 1 : 0; i < used; i++) {
    for (uint32_t j = 0; all[i].state == MPIPP_GUARDED_PENDING && j < all[i].part_count; j++) {
      const struct mpipp_part *part = &all[i].parts[j];
      if (mpipp_is_part_freed(part)) continue;
      if (part->compared && mpipp_guard_snapshot_check(part->compared, change)) return &all[i];
      if (part->partitions && mpipp_guard_partitions_check(part->partitions, change))
        return &all[i];
    }
  }
  return NULL;
}

const struct mpipp_guarded_operation *mpipp_guard_next_dangling(uint64_t frame, uint64_t *address) {
  for (uint32_t i = 0; i < used; i++) {
    for (uint32_t j = 0; all[i].state == MPIPP_GUARDED_PENDING && j < all[i].part_count; j++) {
      const struct mpipp_part *part = &all[i].parts[j];
      *address = part->compared ? mpipp_guard_snapshot_find_dangling(part->compared, frame) : 0;
      if (part->partitions)
        *address = mpipp_guard_partitions_find_dangling(part->partitions, frame);
      if (*address) return &all[i];
    }
  }
  return NULL;
}

struct mpipp_guarded_operation *mpipp_guard_operations(uint32_t *count) {
  *count = __atomic_load_n(&used, __ATOMIC_ACQUIRE);
  return all;
}

const struct mpipp_guarded_operation *mpipp_guard_find_address(uint64_t address, uint32_t *part) {
  uint32_t count = __atomic_load_n(&used, __ATOMIC_ACQUIRE);
  for (uint32_t i = 0; i < count; i++) {
    if (__atomic_load_n(&all[i].state, __ATOMIC_ACQUIRE) != MPIPP_GUARDED_PENDING) continue;
    for (uint32_t j = 0; j < all[i].part_count; j++) {
      *part = j;
      const struct mpipp_part *one = &all[i].parts[j];
      if (one->alias && !__atomic_load_n(&one->is_open, __ATOMIC_ACQUIRE) &&
          !mpipp_is_part_freed(one) && mpipp_guard_alias_has(one->alias, address))
        return &all[i];
    }
  }
  return NULL;
}
