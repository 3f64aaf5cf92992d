// SPDX-License-Identifier: MIT
// The order of processes by collective calls and messages.
#ifndef MPIPP_RMA_SCREEN_ORDER_H
#define MPIPP_RMA_SCREEN_ORDER_H

#include "rma_screen/state.h"

// The kinds of collective calls, in the highest bits of their keys.
enum mpipp_screen_call { MADE, FREED, FENCE, COLLECTIVE };
enum { MPIPP_SCREEN_MEETING_AT = 60 };

// Begins a collective call of `size` processes, of this kind and with this key.
// With `gives` it has data for others.
struct mpipp_screen_meeting *mpipp_screen_meet(struct mpipp_screen_state *s, uint32_t me,
                                               enum mpipp_screen_call kind, uint64_t one,
                                               uint64_t other, uint32_t size, int gives);

// Ends the use of a collective call by a process.
void mpipp_screen_leave(struct mpipp_screen_state *s, struct mpipp_screen_meeting *meeting);

// Keeps a clock in a table. Returns its number in `sent`.
uint32_t mpipp_screen_keep_clock(struct mpipp_screen_state *s, struct mpipp_screen_table *in,
                                 uint64_t one, uint64_t other, const int64_t *clock);
// Removes a clock after its use.
void mpipp_screen_drop_clock(struct mpipp_screen_state *s, struct mpipp_screen_table *of,
                             struct mpipp_screen_slot *slot);

// Returns the clock that a process passes to others, and begins its next segment.
void mpipp_screen_release(const struct mpipp_screen_state *s, uint32_t me, int64_t *told);

// The process with a rank in MPI_COMM_WORLD. Ends the replay if it has no log.
uint32_t mpipp_screen_index(struct mpipp_screen_state *s, uint64_t rank);

// Takes the clock of other processes.
void mpipp_screen_merge(struct mpipp_screen_state *s, uint32_t me, const int64_t *clock);

// A collective call of the program. Returns 0 if the process must wait.
int mpipp_screen_collective(struct mpipp_screen_state *s, uint32_t me);

// A send, a receive, and the completion of a request. Each returns 0 if the
// process must wait.
int mpipp_screen_send(struct mpipp_screen_state *s, uint32_t me);
int mpipp_screen_receive(struct mpipp_screen_state *s, uint32_t me);
int mpipp_screen_complete_request(struct mpipp_screen_state *s, uint32_t me);

void mpipp_screen_add_comm(struct mpipp_screen_state *s, struct mpipp_screen_process *p);
const struct mpipp_screen_comm *mpipp_screen_comm(struct mpipp_screen_state *s,
                                                  const struct mpipp_screen_process *p,
                                                  uint64_t identity);

#endif
