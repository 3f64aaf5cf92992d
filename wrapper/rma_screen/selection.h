// SPDX-License-Identifier: MIT
// The entries that the engine in Python needs to find the conflicts of suspicious accesses.
//
// The first replay notes the memory of all pairs that may conflict. The second one selects the
// entries with accesses to this memory, the calls that open and end their epochs, and all entries
// that order processes. Conflicts depend on no other entry, except by the flags that these use:
// a summary of such uses replaces the entries that are left out.
#ifndef MPIPP_RMA_SCREEN_SELECTION_H
#define MPIPP_RMA_SCREEN_SELECTION_H

#include "rma_screen/state.h"

struct mpipp_screen_range {
  int64_t low, high;
};

struct mpipp_screen_ranges { // `sorted`: the first ones are sorted and disjoint
  struct mpipp_screen_range *of;
  uint32_t count, capacity, sorted;
};

struct mpipp_screen_selection {
  struct mpipp_screen_ranges *suspects; // by process
  uint32_t number;                      // of processes
  uint8_t is_selecting;                 // whether this is the second replay
  uint8_t has_fetches, has_exclusive;   // possible flags
  uint8_t is_unfit;                     // the engine needs all entries
};

static inline int mpipp_screen_is_selecting(const struct mpipp_screen_state *s) {
  return s->selection && s->selection->is_selecting;
}

// Returns whether an operation may write a flag that others read.
static inline int mpipp_screen_may_be_flag(const struct mpipp_screen_state *s,
                                           const struct mpipp_screen_access *at) {
  return at->kind == ACCUMULATE && s->selection && s->selection->has_fetches;
}

// Notes two accesses that may conflict. Ends the replay without a selection.
void mpipp_screen_suspect(struct mpipp_screen_state *s, const struct mpipp_screen_access *before,
                          const struct mpipp_screen_access *one);
// Prepares the second replay. Returns whether it is necessary.
int mpipp_screen_has_suspects(struct mpipp_screen_selection *selection);
void mpipp_screen_free_suspects(struct mpipp_screen_selection *selection);

// Notes calls that may use flags, or that the selection does not know.
void mpipp_screen_note_lock(struct mpipp_screen_state *s, uint64_t bits);
void mpipp_screen_note_fetch(struct mpipp_screen_state *s);
void mpipp_screen_note_unfit(struct mpipp_screen_state *s);

// All of these do nothing in the first replay.

// Begins an entry.
void mpipp_screen_begin_entry(struct mpipp_screen_state *s, uint32_t me);
// Selects the current entry.
void mpipp_screen_select(struct mpipp_screen_state *s, uint32_t me);
// Notes an access of the current entry.
void mpipp_screen_note_access(struct mpipp_screen_state *s, uint32_t me,
                              const struct mpipp_screen_access *one);
// Notes the number of an access of the current entry that is pending.
void mpipp_screen_note_pending(struct mpipp_screen_state *s, uint32_t me, uint32_t number);
// Selects an operation or an access, or notes the flags that it uses. `is_needed`: in any case.
void mpipp_screen_select_operation(struct mpipp_screen_state *s, uint32_t me,
                                   const struct mpipp_screen_access *at,
                                   struct mpipp_screen_request *request, int is_needed);
void mpipp_screen_select_access(struct mpipp_screen_state *s, uint32_t me,
                                const struct mpipp_screen_access *one);
// Selects a call that ends an access of a selected entry.
void mpipp_screen_select_end(struct mpipp_screen_state *s, uint32_t me,
                             const struct mpipp_screen_access *one);
// A call that opens an epoch with a lock; `entry` is set to its number.
void mpipp_screen_select_lock(struct mpipp_screen_state *s, uint32_t me, uint32_t window,
                              uint32_t target, uint64_t *entry);
// A call that ends an epoch with a lock, which an entry has opened.
void mpipp_screen_select_unlock(struct mpipp_screen_state *s, uint32_t me, uint64_t entry,
                                int is_exclusive);
// Reports all uses of flags that are not reported yet.
void mpipp_screen_report_flags(struct mpipp_screen_state *s, uint32_t me);

#endif
