// SPDX-License-Identifier: MIT
// Replays the logs of all processes, each entry after those that it follows.
#include <stdlib.h>
#include <string.h>

#include "registry/rma_log_entry.h"
#include "rma_screen/accesses.h"
#include "rma_screen/active_target.h"
#include "rma_screen/epochs.h"
#include "rma_screen/log_reader.h"
#include "rma_screen/order.h"
#include "rma_screen/selection.h"

enum { TURN = 256, MOST_PROCESSES = 256, MOST_WINDOWS = 64 };
static const uint64_t MOST = (uint64_t)1 << 60; // of addresses and sizes
static const uint64_t REPORTED = 1 << 20;       // words between two reports of progress

static uint32_t add_window(struct mpipp_screen_state *s, uint64_t identity, uint64_t alone) {
  struct mpipp_screen_slot *slot = mpipp_screen_slot(s, &s->names, identity, alone);
  if (slot->value == NONE) {
    GROW(s, s->windows, s->window_count, s->window_capacity);
    struct mpipp_screen_window *made = &s->windows[s->window_count];
    memset(made, 0, sizeof *made);
    slot->value = s->window_count++;
    made->epochs = mpipp_screen_zeros(s, s->number, sizeof(struct mpipp_screen_epochs *));
  }
  return slot->value;
}

static struct mpipp_screen_epochs *add_epochs(struct mpipp_screen_state *s, uint32_t me,
                                              struct mpipp_screen_window *window) {
  const uint64_t *words = s->processes[me].entry.words;
  EXPECT(s, !window->epochs[me]);
  struct mpipp_screen_epochs *mine = window->epochs[me] = mpipp_screen_zeros(s, 1, sizeof *mine);
  mine->size_of_group = window->size;
  mine->base = words[2];
  mine->size = words[3];
  mine->unit = (int64_t)words[4];
  mine->rank = (uint32_t)words[7];
  mine->serial = words[0];
  mine->locks = mpipp_screen_zeros(s, window->size, 1);
  mine->lock_entries = mpipp_screen_zeros(s, window->size, sizeof *mine->lock_entries);
  mine->has_gets = mpipp_screen_zeros(s, window->size, 1);
  mine->pending = mpipp_screen_zeros(s, window->size, sizeof *mine->pending);
  return mine;
}

// All processes of a window must agree on its group.
static void expect_group(struct mpipp_screen_state *s, struct mpipp_screen_window *window,
                         const struct mpipp_screen_comm *comm) {
  if (!window->size) {
    window->size = (uint32_t)comm->size;
    window->ranks = comm->ranks;
  }
  EXPECT(s, window->size && window->size == comm->size && !window->ranks == !comm->ranks);
  for (uint64_t i = 0; comm->ranks && i < comm->size; i++)
    EXPECT(s, window->ranks[i] == comm->ranks[i]);
}

// A window is made: serial, identity, base, size, unit, flavor, model, own
// rank, the communicator's identity, hints, frame.
static void make_window(struct mpipp_screen_state *s, uint32_t me) {
  struct mpipp_screen_process *p = &s->processes[me];
  const uint64_t *words = p->entry.words;
  const struct mpipp_screen_comm *comm = mpipp_screen_comm(s, p, words[8]);
  int64_t answer[MPIPP_SCREEN_ANSWERS] = {0};
  EXPECT(s, !s->ask(MPIPP_SCREEN_WINDOW, me, words[5], words[6], answer));
  EXPECT(s, !comm->remote && words[1] && words[2] < MOST && words[3] < MOST);
  EXPECT(s, words[7] < comm->size && !(words[9] & MPIPP_LOG_HAS_LOCKS));
  // The memory must not be on the stack of a function that may return.
  EXPECT(s, !(words[3] && words[10] && words[10] <= words[2]));
  uint32_t number = add_window(s, words[1], comm->size == 1 ? 1 + p->log->rank : 0);
  struct mpipp_screen_window *window = &s->windows[number];
  expect_group(s, window, comm);
  window->has_hints |= (words[9] & (MPIPP_LOG_HAS_OPS | MPIPP_LOG_HAS_ORDERING)) != 0;
  struct mpipp_screen_epochs *mine = add_epochs(s, me, window);
  mine->of_program = answer[0] != 0;
  EXPECT(s, mpipp_screen_member(s, window, words[7]) == me);
  struct mpipp_screen_slot *serial = mpipp_screen_slot(s, &p->windows, words[0], 0);
  EXPECT(s, serial->value == NONE && p->own.count < MOST_WINDOWS);
  serial->value = number;
  mine->is_made = 1;
  mpipp_screen_push(s, &p->own, number);
}

static void drop_window(struct mpipp_screen_process *p, uint32_t number) {
  for (uint32_t i = 0; i < p->own.count; i++)
    if (p->own.of[i] == number) {
      p->own.of[i] = p->own.of[--p->own.count];
      break;
    }
  mpipp_screen_remove(&p->windows, mpipp_screen_find(&p->windows, p->entry.words[0], 0));
}

// Waits until all processes have begun the call.
static int meets_all(struct mpipp_screen_state *s, uint32_t me) {
  struct mpipp_screen_process *p = &s->processes[me];
  if (p->meeting->count < p->meeting->size) return 0;
  mpipp_screen_merge(s, me, p->meeting->joint);
  return 1;
}

static int add_window_of_all(struct mpipp_screen_state *s, uint32_t me) {
  struct mpipp_screen_process *p = &s->processes[me];
  if (!p->meeting) {
    make_window(s, me);
    uint32_t number = mpipp_screen_window(s, p, p->entry.words[0]);
    p->meeting = mpipp_screen_meet(s, me, MADE, number, 0, s->windows[number].size, 1);
  }
  if (!meets_all(s, me)) return 0;
  mpipp_screen_leave(s, p->meeting);
  p->meeting = NULL;
  return 1;
}

static int free_window(struct mpipp_screen_state *s, uint32_t me) {
  struct mpipp_screen_process *p = &s->processes[me];
  uint32_t number = mpipp_screen_window(s, p, p->entry.words[0]);
  struct mpipp_screen_epochs *mine = s->windows[number].epochs[me];
  if (!p->meeting) {
    mpipp_screen_expect_no_epoch(s, mine);
    EXPECT(s, !mine->targets.count);
    p->meeting = mpipp_screen_meet(s, me, FREED, number, 0, s->windows[number].size, 1);
  }
  if (!meets_all(s, me)) return 0;
  if (mine->meeting) mpipp_screen_leave(s, mine->meeting);
  mine->meeting = NULL;
  mpipp_screen_leave(s, p->meeting);
  p->meeting = NULL;
  drop_window(p, number);
  return 1;
}

static int fence(struct mpipp_screen_state *s, uint32_t me) {
  static const uint64_t of_all = MPIPP_LOG_NO_PRECEDE | MPIPP_LOG_NO_SUCCEED;
  struct mpipp_screen_process *p = &s->processes[me];
  const uint64_t *words = p->entry.words;
  uint32_t number = mpipp_screen_window(s, p, words[0]);
  struct mpipp_screen_epochs *mine = s->windows[number].epochs[me];
  if (!p->meeting) {
    EXPECT(s, !(words[2] & MPIPP_LOG_NO_PUT) && !(words[2] & MPIPP_LOG_NO_STORE && mine->stored));
    // The operations end before the fence, not behind it.
    mpipp_screen_end_fence_epoch(s, me, mine);
    p->meeting = mpipp_screen_meet(s, me, FENCE, number, mine->fences, s->windows[number].size, 1);
    if (p->meeting->count == 1) p->meeting->asserted = (uint32_t)(words[2] & of_all);
    EXPECT(s, p->meeting->asserted == (words[2] & of_all));
    mine->fences++;
  }
  int orders = mine->fence && !(words[2] & MPIPP_LOG_NO_PRECEDE);
  if (orders && !meets_all(s, me)) return 0;
  mine->is_ordered = orders != 0;
  if (mine->meeting) mpipp_screen_leave(s, mine->meeting);
  mine->meeting = p->meeting;
  p->meeting = NULL;
  mine->fence = !(words[2] & MPIPP_LOG_NO_SUCCEED);
  return 1;
}

static int synchronizes(struct mpipp_screen_state *s, uint32_t me, int procedure) {
  const struct mpipp_screen_process *p = &s->processes[me];
  if (MPIPP_SCREEN_START <= procedure && procedure <= MPIPP_SCREEN_WAIT) {
    EXPECT(s, !(p->entry.words[2] & MPIPP_LOG_ATTEMPT));
    return mpipp_screen_active_target(s, me, procedure);
  }
  EXPECT(s, p->entry.count == 4);
  if (procedure == MPIPP_SCREEN_FREE) { // the call begins
    uint32_t number = mpipp_screen_window(s, p, p->entry.words[0]);
    mpipp_screen_expect_no_epoch(s, s->windows[number].epochs[me]);
    return 1;
  }
  EXPECT(s, !(p->entry.words[2] & MPIPP_LOG_ATTEMPT));
  if (procedure == MPIPP_SCREEN_FENCE) return fence(s, me);
  mpipp_screen_synchronize(s, me, procedure);
  return 1;
}

static void hint(struct mpipp_screen_state *s, struct mpipp_screen_process *p) {
  uint32_t number = mpipp_screen_window(s, p, p->entry.words[0]);
  EXPECT(s, !(p->entry.words[1] & MPIPP_LOG_HAS_LOCKS));
  s->windows[number].has_hints = 1;
}

static void end(struct mpipp_screen_state *s, uint32_t me) {
  struct mpipp_screen_process *p = &s->processes[me];
  for (uint32_t i = 0; i < p->own.count; i++)
    mpipp_screen_expect_no_epoch(s, s->windows[p->own.of[i]].epochs[me]);
  p->has_ended = 1;
}

// Returns whether an entry orders no processes, so that the engine may not need it.
static int may_be_left_out(uint32_t kind, int procedure) {
  return kind == MPIPP_LOGGED_OPERATION || kind == MPIPP_LOGGED_ACCESS ||
         kind == MPIPP_LOGGED_COMPLETED ||
         (kind == MPIPP_LOGGED_SYNCHRONIZATION && procedure >= MPIPP_SCREEN_LOCK &&
          procedure <= MPIPP_SCREEN_FLUSH_LOCAL_ALL);
}

// Replays the current entry. Returns 0 if the process must wait.
static int replay(struct mpipp_screen_state *s, uint32_t me) {
  struct mpipp_screen_process *p = &s->processes[me];
  int procedure = MPIPP_SCREEN_UNKNOWN;
  if (p->entry.kind == MPIPP_LOGGED_OPERATION || p->entry.kind == MPIPP_LOGGED_SYNCHRONIZATION)
    procedure =
        (int)mpipp_screen_answer(s, me, &p->procedures, MPIPP_SCREEN_PROCEDURE, p->entry.procedure);
  int with_request = procedure & MPIPP_SCREEN_WITH_REQUEST;
  procedure &= ~MPIPP_SCREEN_WITH_REQUEST;
  if (!may_be_left_out(p->entry.kind, procedure)) mpipp_screen_select(s, me);
  switch (p->entry.kind) {
  case MPIPP_LOGGED_COMM:
    mpipp_screen_add_comm(s, p);
    return 1;
  case MPIPP_LOGGED_WINDOW:
    return add_window_of_all(s, me);
  case MPIPP_LOGGED_FREED:
    return free_window(s, me);
  case MPIPP_LOGGED_OPERATION:
    EXPECT(s, MPIPP_SCREEN_PUT <= procedure && procedure <= MPIPP_SCREEN_COMPARE_AND_SWAP);
    return mpipp_screen_operate(s, me, procedure, with_request);
  case MPIPP_LOGGED_SYNCHRONIZATION:
    return synchronizes(s, me, procedure);
  case MPIPP_LOGGED_SEND:
    mpipp_screen_send(s, me);
    return 1;
  case MPIPP_LOGGED_RECEIVE:
    return mpipp_screen_receive(s, me);
  case MPIPP_LOGGED_COLLECTIVE:
    return mpipp_screen_collective(s, me);
  case MPIPP_LOGGED_COMPLETED:
    return mpipp_screen_complete_request(s, me);
  case MPIPP_LOGGED_ACCESS:
    mpipp_screen_load_or_store(s, me);
    return 1;
  case MPIPP_LOGGED_INFO:
    hint(s, p);
    return 1;
  case MPIPP_LOGGED_VALUE:
    mpipp_screen_note_unfit(s);
    return 1; // it only orders processes more
  // Only one thread has other entries.
  case MPIPP_LOGGED_THREADS:
  case MPIPP_LOGGED_RELEASED:
  case MPIPP_LOGGED_ACQUIRED:
    return 1;
  case MPIPP_LOGGED_GIVEN_BACK:
    mpipp_screen_free_memory(s, me);
    return 1;
  case MPIPP_LOGGED_ENDED:
    end(s, me);
    return 1;
  default:
    UNCERTAIN(s);
  }
}

static void report(struct mpipp_screen_state *s, uint32_t me) {
  struct mpipp_screen_process *p = &s->processes[me];
  int64_t answer[MPIPP_SCREEN_ANSWERS];
  if (p->at - p->reported < REPORTED) return;
  EXPECT(s, !s->ask(MPIPP_SCREEN_PROGRESS, me, p->at - p->reported, 0, answer));
  p->reported = p->at;
}

// Lets a process continue until it waits, or for some entries. Returns whether
// it continued.
static int take_turn(struct mpipp_screen_state *s, uint32_t me) {
  struct mpipp_screen_process *p = &s->processes[me];
  int left = TURN;
  for (; left; left--) {
    if (!p->is_waiting) {
      if (!mpipp_screen_read(s, p)) {
        EXPECT(s, p->has_ended);
        mpipp_screen_report_flags(s, me);
        p->is_done = 1;
        return 1;
      }
      mpipp_screen_begin_entry(s, me);
    }
    p->is_waiting = !replay(s, me);
    if (p->is_waiting) break;
  }
  mpipp_screen_sweep(s);
  report(s, me);
  return left < TURN;
}

static void replay_all(struct mpipp_screen_state *s) {
  uint32_t done = 0;
  while (done < s->number) {
    int continues = 0;
    for (uint32_t i = 0; i < s->number; i++) {
      if (s->processes[i].is_done) continue;
      continues |= take_turn(s, i);
      done += s->processes[i].is_done;
    }
    EXPECT(s, continues);
  }
}

static void begin(struct mpipp_screen_state *s) {
  EXPECT(s, s->number && s->number <= MOST_PROCESSES);
  s->memory = mpipp_screen_zeros(s, s->number, sizeof *s->memory);
  s->processes = mpipp_screen_zeros(s, s->number, sizeof *s->processes);
  for (uint32_t i = 0; i < s->number; i++) {
    struct mpipp_screen_process *p = &s->processes[i];
    p->log = &s->logs[i];
    struct mpipp_screen_slot *slot = mpipp_screen_slot(s, &s->indices, p->log->rank, 0);
    EXPECT(s, slot->value == NONE);
    slot->value = i;
    p->changed = mpipp_screen_zeros(s, MPIPP_SCREEN_MOST_WORDS, sizeof *p->changed);
    p->clock = mpipp_screen_zeros(s, s->number, sizeof *p->clock);
    for (uint32_t of = 0; of < s->number; of++) p->clock[of] = -(of != i);
  }
}

static void free_epochs(struct mpipp_screen_epochs *of) {
  if (!of) return;
  for (uint32_t i = 0; of->pending && i < of->size_of_group; i++) free(of->pending[i].of);
  free(of->pending);
  free(of->targets.of);
  free(of->locks);
  free(of->lock_entries);
  free(of->has_gets);
  free(of->started);
  free(of->starts);
  free(of->posted);
  free(of->posts);
  free(of->waited.of);
  free(of);
}

static void free_process(struct mpipp_screen_process *p) {
  struct mpipp_screen_table *tables[] = {&p->windows,  &p->types,      &p->basics,
                                         &p->ops,      &p->procedures, &p->posted,
                                         &p->receives, &p->active,     &p->flags};
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) free(tables[i]->slots);
  free(p->whole);
  free(p->changed);
  free(p->clock);
  for (uint32_t i = 0; i < p->comm_count; i++) free(p->comms[i].ranks);
  free(p->comms);
  free(p->own.of);
  free(p->uses);
  free(p->used.of);
  free(p->requests);
  free(p->free_requests.of);
}

static void free_all(struct mpipp_screen_state *s) {
  for (uint32_t i = 0; s->processes && i < s->number; i++) free_process(&s->processes[i]);
  for (uint32_t i = 0; s->memory && i < s->number; i++) free(s->memory[i].cells.slots);
  for (uint32_t i = 0; i < s->window_count; i++) {
    for (uint32_t of = 0; of < s->number; of++) free_epochs(s->windows[i].epochs[of]);
    free(s->windows[i].epochs);
  }
  for (uint32_t i = 0; i < s->met_count; i++) {
    if (!s->met[i]) continue;
    free(s->met[i]->begun);
    free(s->met[i]->joint);
    free(s->met[i]->has_begun);
    free(s->met[i]);
  }
  for (uint32_t i = 0; i < s->left_count; i++) free(s->left[i].of);
  for (uint32_t i = 0; i < s->sent_count; i++) free(s->sent[i].clock);
  void *others[] = {s->indices.slots,
                    s->names.slots,
                    s->meetings.slots,
                    s->channels.slots,
                    s->pairs.slots,
                    s->messages.slots,
                    s->taken.slots,
                    s->posts.slots,
                    s->completes.slots,
                    s->left,
                    s->processes,
                    s->windows,
                    s->memory,
                    s->accesses,
                    s->links,
                    s->met,
                    s->sent,
                    s->types,
                    s->free_meetings.of,
                    s->free_messages.of,
                    s};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) free(others[i]);
}

static int replay_logs(const struct mpipp_screen_log *logs, uint64_t number, mpipp_screen_ask ask,
                       struct mpipp_screen_selection *selection) {
  struct mpipp_screen_state *s = calloc(1, sizeof *s);
  if (!s) return 1;
  s->logs = logs;
  s->number = (uint32_t)(number <= MOST_PROCESSES ? number : 0);
  s->ask = ask;
  s->selection = selection;
  s->free_access = s->free_link = NONE;
  if (!setjmp(s->uncertain)) {
    begin(s);
    replay_all(s);
  }
  int reason = s->reason;
  free_all(s);
  return reason;
}

__attribute__((visibility("default"))) int mpipp_rma_screen(const struct mpipp_screen_log *logs,
                                                            uint64_t number, mpipp_screen_ask ask) {
  if (!number || number > MOST_PROCESSES || !logs[0].selected)
    return replay_logs(logs, number, ask, NULL);
  struct mpipp_screen_selection selection = {.number = (uint32_t)number};
  selection.suspects = calloc(number, sizeof *selection.suspects);
  if (!selection.suspects) return 1;
  int reason = replay_logs(logs, number, ask, &selection);
  if (!reason && mpipp_screen_has_suspects(&selection)) {
    selection.is_selecting = 1;
    reason = selection.is_unfit ? __LINE__ : replay_logs(logs, number, ask, &selection);
    if (!reason) reason = MPIPP_SCREEN_SELECTED;
  }
  mpipp_screen_free_suspects(&selection);
  return reason;
}
