// SPDX-License-Identifier: MIT
#include "rma_screen/order.h"

#include <stdlib.h>
#include <string.h>

#include "registry/rma_log_entry.h"
#include "rma_screen/accesses.h"
#include "rma_screen/selection.h"

static const uint64_t LARGE = (uint64_t)1 << 31; // more than all ranks

void mpipp_screen_release(const struct mpipp_screen_state *s, uint32_t me, int64_t *told) {
  struct mpipp_screen_process *p = &s->processes[me];
  memcpy(told, p->clock, s->number * sizeof *told);
  p->clock[me]++;
}

void mpipp_screen_merge(struct mpipp_screen_state *s, uint32_t me, const int64_t *clock) {
  int64_t *mine = s->processes[me].clock;
  for (uint32_t i = 0; i < s->number; i++)
    if (clock[i] > mine[i]) mine[i] = clock[i];
}

static struct mpipp_screen_meeting *add_meeting(struct mpipp_screen_state *s,
                                                struct mpipp_screen_slot *slot, uint32_t size) {
  uint32_t number;
  if (s->free_meetings.count) {
    number = s->free_meetings.of[--s->free_meetings.count];
  } else {
    GROW(s, s->met, s->met_count, s->met_capacity);
    number = s->met_count++;
    s->met[number] = NULL;
    struct mpipp_screen_meeting *made = s->met[number] = mpipp_screen_zeros(s, 1, sizeof *made);
    made->number = number;
    made->begun = mpipp_screen_zeros(s, (size_t)s->number * s->number, sizeof *made->begun);
    made->joint = mpipp_screen_zeros(s, s->number, sizeof *made->joint);
    made->has_begun = mpipp_screen_zeros(s, s->number, 1);
  }
  struct mpipp_screen_meeting *meeting = s->met[number];
  memset(meeting->has_begun, 0, s->number);
  for (uint32_t i = 0; i < s->number; i++) meeting->joint[i] = -1;
  meeting->size = size;
  meeting->count = meeting->users = 0;
  slot->value = number;
  return meeting;
}

struct mpipp_screen_meeting *mpipp_screen_meet(struct mpipp_screen_state *s, uint32_t me,
                                               enum mpipp_screen_call kind, uint64_t one,
                                               uint64_t other, uint32_t size, int gives) {
  one |= (uint64_t)kind << MPIPP_SCREEN_MEETING_AT;
  struct mpipp_screen_slot *slot = mpipp_screen_slot(s, &s->meetings, one, other);
  struct mpipp_screen_meeting *meeting =
      slot->value == NONE ? add_meeting(s, slot, size) : s->met[slot->value];
  EXPECT(s, meeting->size == size && !meeting->has_begun[me]);
  int64_t *told = meeting->begun + (size_t)me * s->number;
  if (gives) {
    mpipp_screen_release(s, me, told);
  } else {
    for (uint32_t i = 0; i < s->number; i++) told[i] = -1;
  }
  for (uint32_t i = 0; i < s->number; i++)
    if (told[i] > meeting->joint[i]) meeting->joint[i] = told[i];
  meeting->has_begun[me] = 1;
  meeting->users++;
  if (++meeting->count == size) mpipp_screen_remove(&s->meetings, slot);
  return meeting;
}

void mpipp_screen_leave(struct mpipp_screen_state *s, struct mpipp_screen_meeting *meeting) {
  if (--meeting->users || meeting->count < meeting->size) return;
  mpipp_screen_push(s, &s->free_meetings, meeting->number);
}

void mpipp_screen_add_comm(struct mpipp_screen_state *s, struct mpipp_screen_process *p) {
  const uint64_t *words = p->entry.words;
  EXPECT(s, words[3] < LARGE && words[4] < LARGE);
  uint64_t count = words[3] + words[4], *ranks = NULL;
  GROW(s, p->comms, p->comm_count, p->comm_capacity);
  if (p->entry.count >= 5 + count) {
    ranks = mpipp_screen_zeros(s, count, sizeof *ranks);
    memcpy(ranks, words + 5, count * sizeof *ranks);
  }
  p->comms[p->comm_count++] = (struct mpipp_screen_comm){words[0], words[3], words[4], ranks};
}

const struct mpipp_screen_comm *mpipp_screen_comm(struct mpipp_screen_state *s,
                                                  const struct mpipp_screen_process *p,
                                                  uint64_t identity) {
  for (uint32_t i = p->comm_count; i-- > 0;)
    if (p->comms[i].identity == identity) return &p->comms[i];
  UNCERTAIN(s);
}

uint32_t mpipp_screen_index(struct mpipp_screen_state *s, uint64_t rank) {
  const struct mpipp_screen_slot *at = mpipp_screen_find(&s->indices, rank, 0);
  EXPECT(s, at);
  return at->value;
}

// Returns whether a source has begun the call. Then takes its clock.
static int has_source(struct mpipp_screen_state *s, uint32_t me,
                      const struct mpipp_screen_meeting *meeting, uint64_t rank) {
  uint32_t source = mpipp_screen_index(s, rank);
  if (source == me) return 1;
  if (!meeting->has_begun[source]) return 0;
  mpipp_screen_merge(s, me, meeting->begun + (size_t)source * s->number);
  return 1;
}

static int has_all(struct mpipp_screen_state *s, uint32_t me,
                   const struct mpipp_screen_meeting *meeting) {
  if (meeting->count < meeting->size) return 0;
  mpipp_screen_merge(s, me, meeting->joint);
  return 1;
}

// Returns whether all processes have begun the call whose data this one
// receives.
static int has_data(struct mpipp_screen_state *s, uint32_t me, int flow,
                    const struct mpipp_screen_comm *comm) {
  const struct mpipp_screen_process *p = &s->processes[me];
  const struct mpipp_screen_meeting *meeting = p->meeting;
  const uint64_t *words = p->entry.words;
  int has = 1;
  if (!(words[4] & MPIPP_LOG_TAKES)) return 1;
  if (words[4] & MPIPP_LOG_SOME) {
    for (uint64_t i = 5; i < p->entry.count; i++) has &= has_source(s, me, meeting, words[i]);
    return has;
  }
  if (flow == MPIPP_SCREEN_FROM_ROOT) {
    int is_root = words[2] == MPIPP_LOG_NOT_KNOWN || words[2] == p->log->rank;
    return is_root || has_source(s, me, meeting, words[2]);
  }
  if (flow == MPIPP_SCREEN_TO_ROOT && words[2] != p->log->rank) return 1;
  if (flow != MPIPP_SCREEN_PREFIX) return has_all(s, me, meeting);
  for (uint64_t i = 0; i < comm->size; i++) {
    uint64_t rank = comm->ranks ? comm->ranks[i] : i;
    if (rank == p->log->rank) break;
    has &= has_source(s, me, meeting, rank);
  }
  return has;
}

// Begins a nonblocking collective call, in which all processes receive data
// from all.
static void begin_collective(struct mpipp_screen_state *s, uint32_t me, uint32_t flow,
                             const struct mpipp_screen_comm *comm) {
  struct mpipp_screen_process *p = &s->processes[me];
  const uint64_t *words = p->entry.words;
  EXPECT(s, flow == MPIPP_SCREEN_OTHER && !(words[4] & MPIPP_LOG_SOME));
  struct mpipp_screen_request *request = mpipp_screen_add_request(s, p, words[3]);
  request->takes = (words[4] & MPIPP_LOG_TAKES) != 0;
  request->meeting = mpipp_screen_meet(s, me, COLLECTIVE, words[1], words[0], (uint32_t)comm->size,
                                       (words[4] & MPIPP_LOG_SENDS) != 0);
}

int mpipp_screen_collective(struct mpipp_screen_state *s, uint32_t me) {
  struct mpipp_screen_process *p = &s->processes[me];
  const uint64_t *words = p->entry.words;
  EXPECT(s, !(words[4] & MPIPP_LOG_PERSISTENT));
  const struct mpipp_screen_comm *comm = mpipp_screen_comm(s, p, words[0]);
  EXPECT(s, !comm->remote);
  uint32_t flow =
      mpipp_screen_answer(s, me, &p->procedures, MPIPP_SCREEN_PROCEDURE, p->entry.procedure);
  if (comm->size == 1 || flow == MPIPP_SCREEN_FOR_NOBODY) return 1;
  EXPECT(s, flow == MPIPP_SCREEN_OTHER || flow == MPIPP_SCREEN_FROM_ROOT ||
                flow == MPIPP_SCREEN_TO_ROOT || flow == MPIPP_SCREEN_PREFIX);
  EXPECT(s, words[1] && !(words[1] >> 32));
  if (words[3]) {
    begin_collective(s, me, flow, comm);
    return 1;
  }
  if (!p->meeting)
    p->meeting = mpipp_screen_meet(s, me, COLLECTIVE, words[1], words[0], (uint32_t)comm->size,
                                   (words[4] & MPIPP_LOG_SENDS) != 0);
  if (!has_data(s, me, (int)flow, comm)) return 0;
  mpipp_screen_leave(s, p->meeting);
  p->meeting = NULL;
  return 1;
}

// A number for a channel of messages.
static uint32_t channel(struct mpipp_screen_state *s, uint64_t context, uint64_t tag,
                        uint64_t source, uint64_t destination) {
  struct mpipp_screen_slot *tagged = mpipp_screen_slot(s, &s->channels, context, tag);
  if (tagged->value == NONE) tagged->value = s->channels.count - 1;
  uint64_t of = tagged->value;
  EXPECT(s, source < LARGE && destination < LARGE);
  struct mpipp_screen_slot *found = mpipp_screen_slot(s, &s->pairs, of, source << 32 | destination);
  if (found->value == NONE) found->value = s->pairs.count - 1;
  return found->value;
}

uint32_t mpipp_screen_keep_clock(struct mpipp_screen_state *s, struct mpipp_screen_table *in,
                                 uint64_t one, uint64_t other, const int64_t *clock) {
  struct mpipp_screen_slot *slot = mpipp_screen_slot(s, in, one, other);
  EXPECT(s, slot->value == NONE);
  if (s->free_messages.count) {
    slot->value = s->free_messages.of[--s->free_messages.count];
  } else {
    GROW(s, s->sent, s->sent_count, s->sent_capacity);
    s->sent[s->sent_count] = (struct mpipp_screen_sent){NULL, 0};
    s->sent[s->sent_count].clock = mpipp_screen_zeros(s, s->number, sizeof *s->sent->clock);
    slot->value = s->sent_count++;
  }
  memcpy(s->sent[slot->value].clock, clock, s->number * sizeof *clock);
  return slot->value;
}

void mpipp_screen_drop_clock(struct mpipp_screen_state *s, struct mpipp_screen_table *of,
                             struct mpipp_screen_slot *slot) {
  mpipp_screen_push(s, &s->free_messages, slot->value);
  mpipp_screen_remove(of, slot);
}

// Passes the clock of a process to a message, or to the sender of one.
static void pass_on(struct mpipp_screen_state *s, uint32_t me, struct mpipp_screen_table *to,
                    uint32_t of, uint64_t ordinal, int is_synchronous) {
  int64_t told[s->number];
  mpipp_screen_release(s, me, told);
  uint32_t number = mpipp_screen_keep_clock(s, to, of, ordinal, told);
  s->sent[number].is_synchronous = is_synchronous;
}

// A synchronous send ends after the start of the receive. Returns 0 if that has
// not begun.
static int is_taken(struct mpipp_screen_state *s, uint32_t me, uint32_t to, uint64_t ordinal) {
  struct mpipp_screen_slot *slot = mpipp_screen_find(&s->taken, to, ordinal);
  if (!slot) return 0;
  mpipp_screen_merge(s, me, s->sent[slot->value].clock);
  mpipp_screen_drop_clock(s, &s->taken, slot);
  return 1;
}

int mpipp_screen_send(struct mpipp_screen_state *s, uint32_t me) {
  struct mpipp_screen_process *p = &s->processes[me];
  const uint64_t *words = p->entry.words;
  int is_synchronous = (words[5] & MPIPP_LOG_SYNCHRONOUS) != 0;
  EXPECT(s, !(words[5] & MPIPP_LOG_PERSISTENT) && words[3] && !(words[3] >> 32));
  uint32_t to = channel(s, words[0], words[2], p->log->rank, words[1]);
  uint64_t ordinal = words[3] - 1;
  if (!p->has_sent) pass_on(s, me, &s->messages, to, ordinal, is_synchronous);
  if (!is_synchronous) return 1;
  if (words[4]) {
    struct mpipp_screen_request *request = mpipp_screen_add_request(s, p, words[4]);
    request->channel = to;
    request->ordinal = ordinal;
    return 1;
  }
  p->has_sent = !is_taken(s, me, to, ordinal);
  return !p->has_sent;
}

// Takes a message. Returns 0 if it was not yet sent.
static int take(struct mpipp_screen_state *s, uint32_t me, uint32_t from, uint64_t ordinal,
                int has_begun) {
  struct mpipp_screen_slot *slot = mpipp_screen_find(&s->messages, from, ordinal);
  if (!slot) return 0;
  const struct mpipp_screen_sent message = s->sent[slot->value];
  if (message.is_synchronous && !has_begun) pass_on(s, me, &s->taken, from, ordinal, 0);
  mpipp_screen_merge(s, me, message.clock);
  mpipp_screen_drop_clock(s, &s->messages, slot);
  if (!message.is_synchronous && has_begun)
    mpipp_screen_drop_clock(s, &s->taken, mpipp_screen_find(&s->taken, from, ordinal));
  return 1;
}

int mpipp_screen_receive(struct mpipp_screen_state *s, uint32_t me) {
  struct mpipp_screen_process *p = &s->processes[me];
  const uint64_t *words = p->entry.words;
  int is_blocking = !words[3];
  EXPECT(s, !(words[4] & (MPIPP_LOG_PERSISTENT | MPIPP_LOG_PROBES)));
  uint64_t rank = words[is_blocking ? 5 : 1], tag = words[is_blocking ? 6 : 2];
  EXPECT(s, rank < MPIPP_LOG_ANY && tag < MPIPP_LOG_ANY && !(words[3] & MPIPP_LOG_MESSAGE));
  uint32_t from = channel(s, words[0], tag, rank, p->log->rank);
  struct mpipp_screen_slot *next = mpipp_screen_slot(s, &p->posted, from, 0);
  if (next->value == NONE) next->value = 0;
  if (is_blocking) {
    int is_there = take(s, me, from, next->value, 0);
    next->value += (uint32_t)is_there;
    return is_there;
  }
  uint32_t ordinal = next->value++;
  pass_on(s, me, &s->taken, from, ordinal, 0);
  struct mpipp_screen_slot *active = mpipp_screen_slot(s, &p->receives, words[3], 0);
  EXPECT(s, active->value == NONE);
  active->value = from;
  mpipp_screen_slot(s, &p->receives, words[3], 1)->value = ordinal;
  return 1;
}

// Completes a request of a synchronous send, a collective call, or an operation
// on a window.
static int complete_request(struct mpipp_screen_state *s, uint32_t me,
                            struct mpipp_screen_request *request) {
  struct mpipp_screen_process *p = &s->processes[me];
  if (request->is_selected || !request->is_operation) mpipp_screen_select(s, me);
  if (request->count) {
    mpipp_screen_end_request(s, me, request, p->entry.count > 4 ? p->entry.words[4] : 0);
    return 1;
  }
  if (request->meeting) {
    if (request->takes && !has_all(s, me, request->meeting)) return 0;
    mpipp_screen_leave(s, request->meeting);
  } else if (!request->is_operation && !is_taken(s, me, request->channel, request->ordinal)) {
    return 0;
  }
  mpipp_screen_drop_request(s, p, request);
  return 1;
}

int mpipp_screen_complete_request(struct mpipp_screen_state *s, uint32_t me) {
  struct mpipp_screen_process *p = &s->processes[me];
  uint64_t number = p->entry.words[0];
  const struct mpipp_screen_slot *other = mpipp_screen_find(&p->active, number, 0);
  if (other) return complete_request(s, me, &p->requests[other->value]);
  mpipp_screen_select(s, me);
  struct mpipp_screen_slot *active = mpipp_screen_find(&p->receives, number, 0);
  if (!active) return 1;
  EXPECT(s, !(p->entry.words[3] & MPIPP_LOG_CANCELLED));
  uint32_t ordinal = mpipp_screen_find(&p->receives, number, 1)->value;
  if (!take(s, me, active->value, ordinal, 1)) return 0;
  mpipp_screen_remove(&p->receives, active);
  mpipp_screen_remove(&p->receives, mpipp_screen_find(&p->receives, number, 1));
  return 1;
}
