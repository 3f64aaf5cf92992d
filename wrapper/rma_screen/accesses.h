// SPDX-License-Identifier: MIT
// The accesses to the memory of each process, found by address, and their
// comparison.
#ifndef MPIPP_RMA_SCREEN_ACCESSES_H
#define MPIPP_RMA_SCREEN_ACCESSES_H

#include "rma_screen/state.h"

// Sets the bounds of an access from its blocks. Returns 0 if it has no bytes.
int mpipp_screen_bound(struct mpipp_screen_access *one);

// Compares an access with the earlier ones, by the clock of its process. Ends
// the replay if it may conflict with one.
void mpipp_screen_check(struct mpipp_screen_state *s, const struct mpipp_screen_access *one,
                        const int64_t *clock);

// Adds an access, which later ones are compared with. Returns its number.
uint32_t mpipp_screen_add(struct mpipp_screen_state *s, const struct mpipp_screen_access *one);

// Ends a pending access. It is no longer in the list of its target.
void mpipp_screen_complete(struct mpipp_screen_state *s, uint32_t number, uint32_t process,
                           int64_t time);

// Returns whether a buffer is on the stack of a function that has returned before a call.
int mpipp_screen_is_gone(const struct mpipp_screen_access *one, uint64_t frame);

// Ends an operation at its origin, because its request is complete.
void mpipp_screen_end_request(struct mpipp_screen_state *s, uint32_t me,
                              struct mpipp_screen_request *request, uint64_t frame);

// Drops accesses that have ended before all processes, if many were added.
void mpipp_screen_sweep(struct mpipp_screen_state *s);

#endif
