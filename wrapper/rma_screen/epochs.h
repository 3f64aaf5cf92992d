// SPDX-License-Identifier: MIT
// The epochs of processes on windows, and the operations in them.
#ifndef MPIPP_RMA_SCREEN_EPOCHS_H
#define MPIPP_RMA_SCREEN_EPOCHS_H

#include "rma_screen/state.h"

// Begins an operation. Returns 0 if it must wait for its target's call of MPI_Win_post or the
// fence.
int mpipp_screen_operate(struct mpipp_screen_state *s, uint32_t me, int procedure,
                         int with_request);

// Loads or stores.
void mpipp_screen_load_or_store(struct mpipp_screen_state *s, uint32_t me);

// A call that synchronizes a window, except a fence.
void mpipp_screen_synchronize(struct mpipp_screen_state *s, uint32_t me, int procedure);

// Ends the epoch at a fence, before the process waits for others.
void mpipp_screen_end_fence_epoch(struct mpipp_screen_state *s, uint32_t me,
                                  struct mpipp_screen_epochs *mine);

// Memory was freed.
void mpipp_screen_free_memory(struct mpipp_screen_state *s, uint32_t me);

// Ends the replay if an epoch of the process is open.
void mpipp_screen_expect_no_epoch(struct mpipp_screen_state *s,
                                  const struct mpipp_screen_epochs *mine);

#endif
