// SPDX-License-Identifier: MIT
#include "compiled/looked.h"

#include <stddef.h>
#include <string.h>

#include "compiled/programs.h"
#include "generated/facts.h"
#include "guard/shares.h"
#include "program/program.h"

enum { MOST = 4096, CHAINS = 1024, FREE = 0, RESTING, PENDING };

struct marked_part {
  struct mpipp_bytes bytes;
  int writes; // MPI does: the program may not even load
};

struct mpipp_looked {
  uint32_t state, part_count;
  struct mpipp_looked *next; // of its chain, or of those that are free
  uint64_t serial, request;
  struct marked_part parts[MPIPP_MAX_BUFFERS];
};

static struct mpipp_looked all[MOST], *chains[CHAINS], *unused;
static uint32_t used, pending;       // of all, those beyond have never been; operations
static uint64_t hull_low, hull_high; // of what is pending, or more

static struct mpipp_looked **chain_of(uint64_t serial) {
  return &chains[serial % CHAINS];
}

struct mpipp_looked *mpipp_looked_new(const struct mpipp_request *request) {
  // A partition is the program's until it says that it is ready, or hears that it has arrived.
  if (mpipp_facts[request->call.procedure].form == MPIPP_FORM_PARTITIONED) return NULL;
  struct mpipp_looked *looked = unused ? unused : used < MOST ? &all[used] : NULL;
  if (!looked) return NULL;
  looked->part_count = 0;
  for (uint32_t i = 0; i < request->call.buffer_count; i++) {
    struct marked_part *part = &looked->parts[looked->part_count];
    if (!mpipp_is_used(&request->call, i)) continue;
    if (!mpipp_bytes_of_call(&request->call, i, &part->bytes)) continue;
    part->writes = (request->call.buffers[i].access & MPIPP_WRITES) != 0;
    looked->part_count++;
  }
  if (!looked->part_count) return NULL;
  if (unused)
    unused = looked->next;
  else
    used++;
  looked->serial = request->object.serial;
  looked->request = request->object.handle;
  looked->next = *chain_of(looked->serial);
  *chain_of(looked->serial) = looked;
  looked->state = RESTING;
  return looked;
}

struct mpipp_looked *mpipp_looked_of(uint64_t serial) {
  struct mpipp_looked *looked = *chain_of(serial);
  while (looked && looked->serial != serial) looked = looked->next;
  return looked;
}

// Marks, or takes away all marks of, the bytes of [low, high), and those that an access which
// begins before them may reach them from.
static void mark(uint64_t low, uint64_t high, unsigned char marks) {
  uint64_t from = (low - (MPIPP_SHADOW_REACH - 1)) >> MPIPP_SHADOW_SHIFT;
  unsigned char *first = (unsigned char *)(MPIPP_SHADOW_AT + from);
  uint64_t count = ((high - 1) >> MPIPP_SHADOW_SHIFT) - from + 1;
  if (!marks) {
    memset(first, 0, count);
  } else if (marks & MPIPP_SHADOW_LOADS) { // has all that there are
    memset(first, marks, count);
  } else {
    for (uint64_t i = 0; i < count; i++) first[i] |= marks;
  }
}

static uint64_t count_of(const struct mpipp_bytes *bytes) {
  return bytes->comb.count ? bytes->comb.count : bytes->count;
}

static void mark_all(const struct marked_part *part, int any) {
  unsigned char marks = MPIPP_SHADOW_ANY | MPIPP_SHADOW_STORES;
  if (part->writes) marks |= MPIPP_SHADOW_LOADS;
  for (uint64_t i = 0; i < count_of(&part->bytes); i++) {
    struct mpipp_piece piece = mpipp_piece_of(&part->bytes, i);
    mark(piece.low, piece.high, any ? marks : 0);
  }
}

static uint64_t low_of(const struct marked_part *part) {
  return part->bytes.low - MPIPP_SHADOW_REACH;
}

static void look(void) {
  mpipp_programs_look(pending > 0, hull_low, hull_high - hull_low);
}

// Makes the hull so large that all of it is in there; whether it was.
static int widen(const struct mpipp_looked *looked) {
  int was = 1;
  for (uint32_t i = 0; i < looked->part_count; i++) {
    const struct marked_part *part = &looked->parts[i];
    uint64_t low = low_of(part), high = part->bytes.high;
    if (low >= hull_low && high <= hull_high) continue;
    if (low < hull_low) hull_low = low;
    if (high > hull_high) hull_high = high;
    was = 0;
  }
  return was;
}

void mpipp_looked_begin(struct mpipp_looked *looked) {
  if (looked->state == PENDING) return;
  if (!pending) {
    hull_low = ~(uint64_t)0;
    hull_high = 0;
  }
  int was = widen(looked);
  looked->state = PENDING;
  for (uint32_t i = 0; i < looked->part_count; i++) mark_all(&looked->parts[i], 1);
  if (!pending++ || !was) look();
}

// Whether parts come so near that marks of the one may be those of the other.
static int are_near(const struct marked_part *one, const struct marked_part *other) {
  enum { NEAR = 2 * MPIPP_SHADOW_REACH };
  return one->bytes.low < other->bytes.high + NEAR && other->bytes.low < one->bytes.high + NEAR;
}

// What others have, too, is marked again.
static void mark_others(const struct marked_part *part) {
  for (uint32_t i = 0; i < used; i++) {
    const struct mpipp_looked *other = &all[i];
    for (uint32_t k = 0; other->state == PENDING && k < other->part_count; k++)
      if (are_near(part, &other->parts[k])) mark_all(&other->parts[k], 1);
  }
}

static int is_at_edge(const struct marked_part *part) {
  return low_of(part) == hull_low || part->bytes.high == hull_high;
}

void mpipp_looked_end(struct mpipp_looked *looked) {
  if (looked->state != PENDING) return;
  looked->state = RESTING;
  pending--;
  int narrower = 0;
  for (uint32_t i = 0; i < looked->part_count; i++) {
    mark_all(&looked->parts[i], 0);
    narrower |= is_at_edge(&looked->parts[i]);
  }
  for (uint32_t i = 0; pending && i < looked->part_count; i++) mark_others(&looked->parts[i]);
  if (pending && !narrower) return;
  hull_low = ~(uint64_t)0;
  hull_high = 0;
  for (uint32_t i = 0; pending && i < used; i++)
    if (all[i].state == PENDING) widen(&all[i]);
  look();
}

void mpipp_looked_drop(struct mpipp_looked *looked) {
  mpipp_looked_end(looked);
  for (uint32_t i = 0; i < looked->part_count; i++) mpipp_bytes_give(&looked->parts[i].bytes);
  struct mpipp_looked **place = chain_of(looked->serial);
  while (*place != looked) place = &(*place)->next;
  *place = looked->next;
  looked->state = FREE;
  looked->next = unused;
  unused = looked;
}

void mpipp_looked_end_all(void) {
  for (uint32_t i = 0; i < used; i++) mpipp_looked_end(&all[i]);
}

// The first byte of [low, high) that is of these; 0: none.
static uint64_t first_in(const struct mpipp_bytes *bytes, uint64_t low, uint64_t high) {
  uint64_t from = 0, to = count_of(bytes); // the first piece that ends beyond low is among these
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

int mpipp_looked_meet(uint64_t address, uint64_t bytes, int stores, struct mpipp_met *met) {
  for (uint32_t i = 0; i < used; i++) {
    const struct mpipp_looked *one = &all[i];
    for (uint32_t k = 0; one->state == PENDING && k < one->part_count; k++) {
      const struct marked_part *part = &one->parts[k];
      uint64_t first =
          stores || part->writes ? first_in(&part->bytes, address, address + bytes) : 0;
      if (!first) continue;
      *met = (struct mpipp_met){one->serial, one->request, first, part->bytes.low, part->writes};
      return 1;
    }
  }
  return 0;
}
