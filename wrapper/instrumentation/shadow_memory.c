// SPDX-License-Identifier: MIT
#include "instrumentation/shadow_memory.h"

#include <stddef.h>
#include <string.h>

#include "buffer_guard/operations/owned_bytes.h"
#include "buffer_guard/operations/rma_requests.h"
#include "generated/facts.h"
#include "instrumentation/in_program/interface.h"
#include "instrumentation/program_parts.h"

enum { MOST = 4096, CHAINS = 1024, FREE = 0, RESTING, PENDING };

struct mpipp_marked_part {
  struct mpipp_bytes bytes;
  int writes; // 1: MPI writes there, so the program must not even load
  uint32_t span;
};

struct mpipp_shadow_range {
  uint32_t state, part_count;
  struct mpipp_shadow_range *next; // next in the same hash chain, or next free entry
  uint64_t serial, request;
  uint64_t number;           // ordinal among all operations that have begun
  uint64_t win;              // handle of the window of a one-sided operation, else 0
  int64_t target;            // target rank of the one-sided operation
  int persistent;            // 1: its request is persistent
  int is_whole;              // 1: all of its buffers are checked
  struct mpipp_cover *cover; // the place in the program that started the operation
  struct mpipp_marked_part parts[MPIPP_MAX_BUFFERS];
};

static struct mpipp_shadow_range all[MOST], *chains[CHAINS], *unused;
static uint32_t used, pending; // used: number of entries that were ever used; pending: number of
                               // pending operations
static uint32_t of_windows;    // number of pending entries that belong to windows
uint64_t mpipp_instrument_shadow_begun_count;
// The ranges that contain all pending buffers, and the number of parts in each.
static struct mpipp_span spans[MPIPP_SPANS];
static uint32_t parts_in[MPIPP_SPANS], span_count;

static struct mpipp_shadow_range **chain_of(uint64_t serial) {
  return &chains[serial % CHAINS];
}

static struct mpipp_shadow_range *unused_range(void) {
  struct mpipp_shadow_range *looked = unused ? unused : used < MOST ? &all[used] : NULL;
  if (looked) looked->part_count = 0;
  return looked;
}

static void take(struct mpipp_shadow_range *looked, uint64_t serial, uint64_t request) {
  if (unused)
    unused = looked->next;
  else
    used++;
  looked->serial = serial;
  looked->request = request;
  looked->win = 0;
  looked->persistent = looked->is_whole = 0;
  looked->next = *chain_of(serial);
  *chain_of(serial) = looked;
  looked->state = RESTING;
}

struct mpipp_shadow_range *mpipp_instrument_shadow_new(const struct mpipp_request *request) {
  // A partition belongs to the program before it is marked ready, or after it has arrived. So
  // partitioned operations are not checked here.
  if (mpipp_facts[request->call.procedure].form == MPIPP_FORM_PARTITIONED) return NULL;
  struct mpipp_shadow_range *looked = unused_range();
  uint32_t used_parts = 0;
  if (!looked) return NULL;
  for (uint32_t i = 0; i < request->call.buffer_count; i++) {
    struct mpipp_marked_part *part = &looked->parts[looked->part_count];
    if (!mpipp_guard_uses_buffer(&request->call, i)) continue;
    used_parts++;
    if (!mpipp_guard_bytes_of_call(&request->call, i, &part->bytes)) continue;
    part->writes = (request->call.buffers[i].access & MPIPP_WRITES) != 0;
    looked->part_count++;
  }
  if (!looked->part_count) return NULL;
  take(looked, request->object.serial, request->object.handle);
  looked->win = request->call.present & MPIPP_HAS_WIN ? request->call.win : 0;
  looked->target = request->call.target_rank;
  looked->persistent = request->persistent;
  looked->is_whole = looked->part_count == used_parts;
  return looked;
}

struct mpipp_shadow_range *mpipp_instrument_shadow_memory(const struct mpipp_bytes *bytes) {
  struct mpipp_shadow_range *looked = unused_range();
  if (!looked) return NULL;
  looked->parts[0] = (struct mpipp_marked_part){.bytes = *bytes, .writes = 1};
  looked->part_count = 1;
  take(looked, 0, 0);
  mpipp_instrument_shadow_begin(looked, NULL);
  return looked;
}

struct mpipp_shadow_range *mpipp_instrument_shadow_of(uint64_t serial) {
  struct mpipp_shadow_range *looked = *chain_of(serial);
  while (looked && looked->serial != serial) looked = looked->next;
  return looked;
}

// Sets or clears marks for the bytes of [low, high), and for bytes before them from which an access
// may reach them.
static void mark(uint64_t low, uint64_t high, unsigned char marks) {
  uint64_t from = (low - (MPIPP_SHADOW_REACH - 1)) >> MPIPP_SHADOW_SHIFT;
  unsigned char *first = (unsigned char *)(MPIPP_SHADOW_AT + from);
  uint64_t count = ((high - 1) >> MPIPP_SHADOW_SHIFT) - from + 1;
  if (!marks) {
    memset(first, 0, count);
  } else if (marks & MPIPP_SHADOW_LOADS) { // the byte has all marks, so another test is not needed
    memset(first, marks, count);
  } else {
    for (uint64_t i = 0; i < count; i++) first[i] = (unsigned char)(mpipp_marks(first[i]) | marks);
  }
}

static uint64_t count_of(const struct mpipp_bytes *bytes) {
  return bytes->strided.count ? bytes->strided.count : bytes->count;
}

static void mark_part(const struct mpipp_marked_part *part, int any) {
  unsigned char marks = MPIPP_SHADOW_ANY | MPIPP_SHADOW_STORES;
  if (part->writes) marks |= MPIPP_SHADOW_LOADS;
  for (uint64_t i = 0; i < count_of(&part->bytes); i++) {
    struct mpipp_piece piece = mpipp_piece_of(&part->bytes, i);
    mark(piece.low, piece.high, any ? marks : 0);
  }
}

// The number of bytes by which a span must grow to contain another span, too.
static uint64_t span_growth(const struct mpipp_span *span, const struct mpipp_span *other) {
  uint64_t low = span->low < other->low ? span->low : other->low;
  uint64_t high = span->high > other->high ? span->high : other->high;
  return (high - low) - (span->high - span->low);
}

// Adds a part, with the bytes from which accesses reach it, to the span that grows least, or to an
// empty one. Returns whether the span has changed.
static int enter_span(struct mpipp_marked_part *part, uint64_t kinds) {
  struct mpipp_span own = {part->bytes.low - MPIPP_SHADOW_REACH, part->bytes.high, kinds};
  uint32_t best = MPIPP_SPANS, empty = span_count;
  uint64_t least = ~(uint64_t)0;
  for (uint32_t i = 0; i < span_count; i++) {
    uint64_t more = parts_in[i] ? span_growth(&spans[i], &own) : least;
    if (more < least) best = i, least = more;
    if (!parts_in[i]) empty = i;
  }
  if (empty < MPIPP_SPANS && least > own.high - own.low) {
    best = empty;
    spans[best] = own;
    if (best == span_count) span_count++;
  }
  part->span = best;
  parts_in[best]++;
  if (own.low < spans[best].low) spans[best].low = own.low;
  if (own.high > spans[best].high) spans[best].high = own.high;
  int others = parts_in[best] == 1 || least || (spans[best].kinds & kinds) != kinds;
  spans[best].kinds |= kinds;
  return others;
}

static int leave_span(const struct mpipp_marked_part *part) {
  if (--parts_in[part->span]) return 0;
  spans[part->span] = (struct mpipp_span){0, 0, 0};
  while (span_count && !parts_in[span_count - 1]) span_count--;
  return 1;
}

void mpipp_instrument_shadow_begin(struct mpipp_shadow_range *looked, struct mpipp_cover *cover) {
  if (looked->state == PENDING) return;
  looked->cover = cover;
  if (cover && looked->is_whole) cover->accesses++;
  uint64_t kinds = looked->serial ? MPIPP_SPAN_PENDING : MPIPP_SPAN_KEPT;
  int others = 0;
  for (uint32_t i = 0; i < looked->part_count; i++) {
    others |= enter_span(&looked->parts[i], kinds);
    mark_part(&looked->parts[i], 1);
  }
  looked->state = PENDING;
  looked->number = mpipp_instrument_shadow_begun_count + 1;
  __atomic_store_n(&mpipp_instrument_shadow_begun_count, looked->number, __ATOMIC_RELAXED);
  pending++;
  of_windows += looked->win != 0;
  if (others) mpipp_instrument_programs_look(spans, span_count);
}

// Returns whether two parts are so close that one byte of the shadow may have marks for both.
static int are_near(const struct mpipp_marked_part *one, const struct mpipp_marked_part *other) {
  enum { NEAR = 2 * MPIPP_SHADOW_REACH };
  return one->bytes.low < other->bytes.high + NEAR && other->bytes.low < one->bytes.high + NEAR;
}

// Restores the marks of other parts on bytes whose marks were just cleared.
static void mark_neighbors(const struct mpipp_marked_part *part) {
  for (uint32_t i = 0; i < used; i++) {
    const struct mpipp_shadow_range *other = &all[i];
    for (uint32_t k = 0; other->state == PENDING && k < other->part_count; k++)
      if (are_near(part, &other->parts[k])) mark_part(&other->parts[k], 1);
  }
}

void mpipp_instrument_shadow_end(struct mpipp_shadow_range *looked) {
  if (looked->state != PENDING) return;
  looked->state = RESTING;
  pending--;
  of_windows -= looked->win != 0;
  int others = 0;
  for (uint32_t i = 0; i < looked->part_count; i++) {
    mark_part(&looked->parts[i], 0);
    others |= leave_span(&looked->parts[i]);
  }
  for (uint32_t i = 0; pending && i < looked->part_count; i++) mark_neighbors(&looked->parts[i]);
  if (others) mpipp_instrument_programs_look(spans, span_count);
}

void mpipp_instrument_shadow_drop(struct mpipp_shadow_range *looked) {
  mpipp_instrument_shadow_end(looked);
  for (uint32_t i = 0; i < looked->part_count; i++) mpipp_guard_bytes_give(&looked->parts[i].bytes);
  struct mpipp_shadow_range **place = chain_of(looked->serial);
  while (*place != looked) place = &(*place)->next;
  *place = looked->next;
  looked->state = FREE;
  looked->next = unused;
  unused = looked;
}

void mpipp_instrument_shadow_end_accesses(const struct mpipp_call *call, uint64_t before) {
  for (uint32_t i = 0; of_windows && i < used; i++) {
    struct mpipp_shadow_range *one = &all[i];
    if (one->state == PENDING && one->win && one->number <= before &&
        mpipp_guard_completes_accesses(call, one->win, one->target))
      mpipp_instrument_shadow_end(one);
  }
}

void mpipp_instrument_shadow_end_persistent(uint64_t request) {
  for (uint32_t i = 0; i < used; i++)
    if (all[i].persistent && all[i].request == request) mpipp_instrument_shadow_end(&all[i]);
}

void mpipp_instrument_shadow_end_all(void) {
  for (uint32_t i = 0; i < used; i++) mpipp_instrument_shadow_end(&all[i]);
}

// The address of the first byte of [low, high) that belongs to the set; 0 if there is none.
static uint64_t first_in(const struct mpipp_bytes *bytes, uint64_t low, uint64_t high) {
  uint64_t from = 0, to = count_of(bytes); // binary search for the first piece that ends after
                                           // `low`
  if (high <= bytes->low || low >= bytes->high) return 0;
  while (from < to) {
    uint64_t middle = from + (to - from) / 2;
    if (mpipp_piece_of(bytes, middle).high > low)
      to = middle;
    else
      from = middle + 1;
  }
  struct mpipp_piece piece = mpipp_piece_of(bytes, from);
  if (piece.low >= high) return 0;
  return piece.low > low ? piece.low : low;
}

int mpipp_instrument_shadow_overlap(uint64_t address, uint64_t bytes, int stores,
                                    struct mpipp_shadow_overlap *met) {
  for (uint32_t i = 0; i < used; i++) {
    const struct mpipp_shadow_range *one = &all[i];
    for (uint32_t k = 0; one->serial && one->state == PENDING && k < one->part_count; k++) {
      const struct mpipp_marked_part *part = &one->parts[k];
      uint64_t first =
          stores || part->writes ? first_in(&part->bytes, address, address + bytes) : 0;
      if (!first) continue;
      *met = (struct mpipp_shadow_overlap){one->serial,     one->request, first,
                                           part->bytes.low, part->writes, (uintptr_t)one->cover};
      return 1;
    }
  }
  return 0;
}
