// SPDX-License-Identifier: MIT
// MPI_Win_start, MPI_Win_complete, MPI_Win_post and MPI_Win_wait.
#ifndef MPIPP_RMA_SCREEN_ACTIVE_TARGET_H
#define MPIPP_RMA_SCREEN_ACTIVE_TARGET_H

#include "rma_screen/state.h"

// Joins two clocks.
void mpipp_screen_join(const struct mpipp_screen_state *s, const int64_t *one, const int64_t *other,
                       int64_t *joined);

// The clock of an operation in the epoch of MPI_Win_start: it follows the target's MPI_Win_post.
// Returns NULL if the process must wait for that.
const int64_t *mpipp_screen_posted_clock(struct mpipp_screen_state *s, uint32_t me, uint32_t window,
                                         uint32_t owner, int64_t *joined);

// One of these calls. Returns 0 if the process must wait for others.
int mpipp_screen_active_target(struct mpipp_screen_state *s, uint32_t me, int procedure);

#endif
