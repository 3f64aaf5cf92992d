// SPDX-License-Identifier: MIT
#include "rma_page_trace/budget.h"

#include <stdlib.h>
#include <time.h>

#include "recorder/threads/threads.h"
#include "registry/object_store.h"

// Lower bounds for costs in nanoseconds. PAGE: to protect a page and open it twice. STEP: to
// execute a single access. SIGNAL: a signal. The program starts with a credit, as if it had already
// run for some time.
enum { PERCENT = 10, PAGE = 12000, STEP = 25000, SIGNAL = 4000 };
#define HEAD_START 20000000u
enum {
  SHARE = 4
};                             // a call may use a fourth of the remaining budget, which also has to
                               // last for later calls
enum { TURN = 22, TURNS = 8 }; // turns last 2^22 nanoseconds, and one turn in 8 is used
enum { PLACES = 64, LATELY = 8, DEAREST = 8 };
#define OF_THREAD static __thread __attribute__((tls_model("initial-exec")))

static uint64_t own, spent, percent = PERCENT;
// The assumed cost of a signal, and the measured cost.
static uint64_t estimated = SIGNAL, measured = SIGNAL;
// How long the program usually runs after a call at a place, if there are no signals.
static struct mpipp_usual { uint64_t place, time; } usuals[PLACES];
// left_at, left_place: when and where the thread has left its last call. signals: the estimated
// cost of signals since then.
OF_THREAD uint64_t left_at, left_place, signals;

// Does not use the processor time, because that system call takes longer than many an MPI call.
uint64_t mpipp_trace_budget_time(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void add(uint64_t *to, uint64_t time) {
  __atomic_fetch_add(to, time, __ATOMIC_RELAXED);
}

void mpipp_trace_budget_open(void) {
  const char *budget = getenv("MPIPP_BUDGET");
  if (budget) percent = strtoull(budget, NULL, 10);
}

static int is_turn(void) {
  return (mpipp_trace_budget_time() >> TURN) % TURNS == 0;
}

// The budget counts time outside calls only, since inside a call a process may be waiting for
// others. Processes wait for each other, so time that one spends also delays the others, unless all
// spend it at once. So all processes of a machine have their turns together, unless the budget
// allows many times more.
void mpipp_trace_budget_remaining(uint64_t open, uint64_t *pages, int64_t *steps) {
  uint64_t allowed = (MPIPP_READ(own) + HEAD_START) / 100 * percent, used = MPIPP_READ(spent);
  double dear = (double)MPIPP_READ(measured) / (double)MPIPP_READ(estimated);
  uint64_t left = allowed > used ? (uint64_t)((double)(allowed - used) / dear) : 0;
  if (left / PAGE / TURNS < open && !is_turn()) left = 0;
  *pages = left / PAGE < open ? left / PAGE : open;
  *steps = (int64_t)((left - *pages * PAGE) / SHARE / STEP);
}

void mpipp_trace_budget_count_fault(int steps) {
  uint64_t price = steps ? STEP : SIGNAL;
  if (mpipp_recorder_self == &mpipp_recorder_no_thread)
    add(&spent, price); // a thread that makes no calls is not measured
  else
    signals += price;
}

void mpipp_trace_budget_leave(uint64_t place) {
  left_place = place;
  left_at = mpipp_trace_budget_time();
}

void mpipp_trace_budget_spend(void) {
  uint64_t since = left_at;
  left_at = mpipp_trace_budget_time();
  add(&spent, left_at - since);
}

// Signals cost more than the time of their handler, because the processor loses cached page
// translations. So the cost is measured: the time that the program took longer than usual.
static uint64_t cost_of(uint64_t took, struct mpipp_usual *usual) {
  uint64_t usually = MPIPP_READ(usual->place) == left_place ? MPIPP_READ(usual->time) : 0;
  uint64_t longer = took > usually ? took - usually : 0;
  uint64_t cost = longer > signals ? longer : signals;
  if (cost > DEAREST * signals)
    cost = DEAREST * signals; // a longer time has another cause: other
                              // processes had the processor
  add(&estimated, signals);
  add(&measured, cost);
  add(&spent, cost);
  return cost;
}

static void learn(uint64_t took, struct mpipp_usual *usual) {
  uint64_t time = MPIPP_READ(usual->time);
  int is_known = MPIPP_READ(usual->place) == left_place;
  // Limits the time, because other processes may have had the processor.
  if (is_known && took > DEAREST * time) took = DEAREST * time;
  MPIPP_WRITE(usual->time, is_known ? time - time / LATELY + took / LATELY : took);
  MPIPP_WRITE(usual->place, left_place);
}

void mpipp_trace_budget_enter(void) {
  if (!left_at) return;
  uint64_t took = mpipp_trace_budget_time() - left_at;
  struct mpipp_usual *usual = &usuals[left_place * MPIPP_HASH >> 58];
  uint64_t cost = signals ? cost_of(took, usual) : 0;
  if (!signals) learn(took, usual);
  add(&own, took > cost ? took - cost : 0);
  left_at = signals = 0;
}
