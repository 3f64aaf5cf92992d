// SPDX-License-Identifier: MIT
// Correct and random: one-sided operations of all kinds on all kinds of windows, with all kinds of
// synchronization. All processes know the values that each must have. Two to four processes.
// Arguments: seed, programs.
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Each datatype uses VALUES ints of a slot, at displacements of its own.
enum { SLOTS = 8, ROOM = 16, VALUES = 8, WORDS = SLOTS * ROOM, MANY = 4, MOST = 160 };
// MPICH 4.0 reports gets as locally complete too early.
#if defined MPICH_NUMVERSION && MPICH_NUMVERSION < 40100000
enum { GETS_ARE_EARLY = 1 };
#else
enum { GETS_ARE_EARLY = 0 };
#endif
enum { KINDS = 4, WINDOWS = 4, UNTOUCHED = -77, SPENT = -99 };

// Calls with large counts do the same, if MPI has them.
#if MPI_VERSION >= 4
#define CALL_BY(STATE, NAME, ...)                                                                  \
  (draw(STATE, 4) ? MPI_##NAME(__VA_ARGS__) : MPI_##NAME##_c(__VA_ARGS__))
#else
#define CALL_BY(STATE, NAME, ...) MPI_##NAME(__VA_ARGS__)
#endif
#define CALL(...) CALL_BY(&own, __VA_ARGS__)

static int rank, size;
static uint64_t shared = 1; // the same in all processes
static uint64_t making = 1; // the same in all processes; used with some libraries only
static uint64_t own = 1;    // of this process: for choices that must not change results
static uint64_t result;
static int model[MANY][WORDS];
static MPI_Datatype types[KINDS];

static uint64_t draw(uint64_t *state, uint64_t below) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (*state >> 33) % below;
}

static void need(int is_true, int line) {
  if (is_true) return;
  fprintf(stderr, "rank %d: line %d\n", rank, line);
  MPI_Abort(MPI_COMM_WORLD, 3);
}
#define NEED(x) need(x, __LINE__)

struct window {
  MPI_Win win;
  int *memory;
  MPI_Aint first[MANY]; // displacement of the memory
  int unit[MANY];
};
static struct window windows[WINDOWS], *now;

static MPI_Aint place_of(int target, int slot) {
  return now->first[target] + slot * ROOM * (MPI_Aint)sizeof(int) / now->unit[target];
}

// Returns where the i-th value lies in a slot, and what an entry of the type counts.
static int at(int kind, int i) {
  return kind == 0 ? i : kind == 1 ? 2 * i : kind == 2 ? ROOM - 1 - i : 2 * i + 1;
}
static int entries(int kind) {
  return kind == 0 || kind == 3 ? VALUES : 1;
}

static void make_types(void) {
  int lengths[VALUES];
  MPI_Aint displacements[VALUES], one = sizeof(int);
  MPI_Datatype second;
  for (int i = 0; i < VALUES; i++) lengths[i] = 1, displacements[i] = at(2, i) * one;
  types[0] = MPI_INT;
  MPI_Type_vector(VALUES, 1, 2, MPI_INT, &types[1]);
  MPI_Type_create_hindexed(VALUES, lengths, displacements, MPI_INT, &types[2]);
  MPI_Type_create_hindexed(1, lengths, &one, MPI_INT, &second);
  MPI_Type_create_resized(second, 0, 2 * one, &types[3]);
  MPI_Type_free(&second);
  for (int i = 1; i < KINDS; i++) MPI_Type_commit(&types[i]);
}

static void make_windows(void) {
  MPI_Aint bytes = WORDS * sizeof(int), address = 0;
  struct window *one = windows;
  int unit = sizeof(int);
  CALL_BY(&making, Win_allocate, bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &one->memory,
          &one->win);
  one++;
  one->memory = malloc((size_t)bytes);
  CALL_BY(&making, Win_create, one->memory, bytes, rank ? unit : 1, MPI_INFO_NULL, MPI_COMM_WORLD,
          &one->win);
  one++;
  CALL_BY(&making, Win_allocate_shared, bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &one->memory,
          &one->win);
  one++;
  one->memory = malloc((size_t)bytes);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &one->win);
  MPI_Win_attach(one->win, one->memory, bytes);
  MPI_Get_address(one->memory, &address);
  for (int i = 0; i < size; i++) {
    for (int k = 0; k < WINDOWS; k++) windows[k].unit[i] = unit;
    windows[1].unit[i] = i ? unit : 1;
    windows[3].unit[i] = 1;
  }
  MPI_Allgather(&address, 1, MPI_AINT, one->first, 1, MPI_AINT, MPI_COMM_WORLD);
}

// A pending operation of this process, with its expected result.
struct operation {
  int buffer[ROOM], result[ROOM], expected[ROOM];
  int sends, gets, kind, target;
};
static struct operation operations[MOST];
static MPI_Request requests[MOST];
static int used, asked, asks[MOST];
static int is_passive;

static struct operation *begin(int target, int kind) {
  struct operation *one = &operations[used++];
  NEED(used <= MOST);
  one->sends = one->gets = 0;
  one->kind = kind;
  one->target = target;
  for (int i = 0; i < ROOM; i++) one->buffer[i] = one->result[i] = one->expected[i] = UNTOUCHED;
  return one;
}

// The operation is complete here: the sent data may be changed, and the received data is there.
static void completed(struct operation *one) {
  if (one->gets) NEED(!memcmp(one->result, one->expected, sizeof one->result));
  for (int i = 0; one->gets && i < ROOM; i++) result += (uint64_t)(one->result[i] * (i + 7));
  if (one->sends)
    for (int i = 0; i < ROOM; i++) one->buffer[i] = SPENT;
  one->sends = one->gets = 0;
}

static void all_completed(int target, int locally) {
  for (int i = 0; i < used; i++) {
    int is_asked = 0;
    for (int k = 0; k < asked; k++) is_asked |= asks[k] == i && requests[k] != MPI_REQUEST_NULL;
    if (locally && GETS_ARE_EARLY && operations[i].gets) continue;
    if ((target < 0 || operations[i].target == target) && !is_asked) completed(&operations[i]);
  }
}

static MPI_Request *ask(void) {
  asks[asked] = used - 1;
  return &requests[asked++];
}

static void wait_for_requests(void) {
  for (int left = asked, index; left > 0; left--) {
    MPI_Waitany(asked, requests, &index, MPI_STATUS_IGNORE);
    if (index == MPI_UNDEFINED) break;
    completed(&operations[asks[index]]);
  }
  asked = 0;
}

// A datatype that is freed before the operation is complete.
static MPI_Datatype type_of(int kind, int *is_own) {
  MPI_Datatype made;
  *is_own = draw(&own, 2) == 0;
  if (!*is_own) return types[kind];
  MPI_Type_contiguous(1, types[kind], &made);
  MPI_Type_commit(&made);
  return made;
}

static void put(int target, int slot, int here, int there, int value) {
  struct operation *one = begin(target, here);
  MPI_Aint to = place_of(target, slot);
  int is_own;
  MPI_Datatype type = type_of(here, &is_own);
  for (int i = 0; i < VALUES; i++) one->buffer[at(here, i)] = value + i;
  one->sends = 1;
  if (is_passive && draw(&own, 3) == 0)
    CALL(Rput, one->buffer, entries(here), type, target, to, entries(there), types[there], now->win,
         ask());
  else
    CALL(Put, one->buffer, entries(here), type, target, to, entries(there), types[there], now->win);
  if (is_own) MPI_Type_free(&type);
}

static void get(int target, int slot, int here, int there) {
  struct operation *one = begin(target, here);
  MPI_Aint to = place_of(target, slot);
  int is_own;
  MPI_Datatype type = type_of(there, &is_own);
  for (int i = 0; i < VALUES; i++)
    one->expected[at(here, i)] = model[target][slot * ROOM + at(there, i)];
  one->gets = 1;
  if (is_passive && !GETS_ARE_EARLY && draw(&own, 3) == 0)
    CALL(Rget, one->result, entries(here), types[here], target, to, entries(there), type, now->win,
         ask());
  else
    CALL(Get, one->result, entries(here), types[here], target, to, entries(there), type, now->win);
  if (is_own) MPI_Type_free(&type);
}

static void accumulate(int target, int slot, int here, int there, int value, MPI_Op op) {
  struct operation *one = begin(target, here);
  MPI_Aint to = place_of(target, slot);
  for (int i = 0; i < VALUES; i++) one->buffer[at(here, i)] = value + i;
  one->sends = 1;
  if (is_passive && draw(&own, 3) == 0)
    CALL(Raccumulate, one->buffer, entries(here), types[here], target, to, entries(there),
         types[there], op, now->win, ask());
  else
    CALL(Accumulate, one->buffer, entries(here), types[here], target, to, entries(there),
         types[there], op, now->win);
}

// Operates on a slot that one process uses, so that all processes can compute the result.
static void get_accumulate(int is_mine, int target, int slot, int here, int there, int value,
                           MPI_Op op) {
  int reads = op == MPI_NO_OP, *words = &model[target][slot * ROOM], expected[ROOM];
  for (int i = 0; i < VALUES; i++) {
    int *word = &words[at(there, i)];
    expected[i] = *word;
    if (!reads) *word = op == MPI_SUM ? *word + value + i : value + i;
  }
  if (!is_mine) return;
  struct operation *one = begin(target, here);
  MPI_Aint to = place_of(target, slot);
  for (int i = 0; i < VALUES; i++) {
    one->buffer[at(here, i)] = value + i;
    one->expected[at(here, i)] = expected[i];
  }
  one->sends = one->gets = 1;
  if (is_passive && !GETS_ARE_EARLY && draw(&own, 3) == 0)
    CALL(Rget_accumulate, reads ? NULL : one->buffer, reads ? 0 : entries(here), types[here],
         one->result, entries(here), types[here], target, to, entries(there), types[there], op,
         now->win, ask());
  else
    CALL(Get_accumulate, one->buffer, entries(here), types[here], one->result, entries(here),
         types[here], target, to, entries(there), types[there], op, now->win);
}

static void fetch(int is_mine, int target, int slot, int value, int swaps) {
  int *word = &model[target][slot * ROOM], expected = *word;
  int compare = swaps && draw(&shared, 2) ? *word + 1 : *word;
  if (!swaps)
    *word += value;
  else if (compare == *word)
    *word = value;
  if (!is_mine) return;
  struct operation *one = begin(target, 0);
  MPI_Aint to = place_of(target, slot);
  one->expected[0] = expected;
  one->sends = one->gets = 1;
  one->buffer[0] = value;
  one->buffer[1] = compare;
  if (swaps)
    MPI_Compare_and_swap(&one->buffer[0], &one->buffer[1], one->result, MPI_INT, target, to,
                         now->win);
  else
    MPI_Fetch_and_op(one->buffer, one->result, MPI_INT, target, to, MPI_SUM, now->win);
}

// Sometimes completes operations in the middle of an epoch.
static void complete_some(int target, int is_locked_all) {
  if (!is_passive) return;
  switch (draw(&own, 8)) {
  case 0:
    MPI_Win_flush_local(target, now->win);
    all_completed(target, 1);
    break;
  case 1:
    MPI_Win_flush(target, now->win);
    all_completed(target, 0);
    break;
  case 2:
    if (is_locked_all) MPI_Win_flush_local_all(now->win), all_completed(-1, 1);
    break;
  case 3:
    wait_for_requests();
    break;
  default:
    break;
  }
}

// The operations of this process on the target's slots; all processes follow the random choices.
static void use_target(int target, int is_locked_all) {
  for (int slot = 0; slot < SLOTS; slot++) {
    int user = (int)draw(&shared, (uint64_t)size), role = (int)draw(&shared, 7),
        is_mine = user == rank;
    int here = (int)draw(&shared, KINDS), there = (int)draw(&shared, KINDS);
    int value = (int)draw(&shared, 1000), *words = &model[target][slot * ROOM];
    int times = 1 + (int)draw(&shared, 3);
    switch (role) {
    case 0:
      if (is_mine) put(target, slot, here, there, value);
      for (int i = 0; i < VALUES; i++) words[at(there, i)] = value + i;
      break;
    case 1: // all processes, in any order
      accumulate(target, slot, here, there, value + rank, MPI_SUM);
      if (times > 1) accumulate(target, slot, there, there, value, MPI_SUM);
      for (int i = 0; i < VALUES; i++) {
        words[at(there, i)] += size * (value + i) + size * (size - 1) / 2;
        if (times > 1) words[at(there, i)] += size * (value + i);
      }
      break;
    case 2:
      get(target, slot, here, there);
      if (is_mine) get(target, slot, there, there);
      break;
    case 3: // in this order
      for (int k = 0; is_mine && k < times; k++)
        accumulate(target, slot, here, there, value + k, MPI_REPLACE), complete_some(target, 0);
      for (int i = 0; i < VALUES; i++) words[at(there, i)] = value + times - 1 + i;
      break;
    default: // the same
      for (int k = 0; k < times; k++) {
        if (role == 4)
          get_accumulate(is_mine, target, slot, 0, 0, value + k, // Open MPI errs with others
                         k == 1 ? MPI_NO_OP
                         : here ? MPI_SUM
                                : MPI_REPLACE);
        else
          fetch(is_mine, target, slot, value + k, role == 6);
        if (is_mine) complete_some(target, is_locked_all);
      }
    }
    if (is_mine) complete_some(target, is_locked_all);
  }
}

static void fences(void) {
  is_passive = 0;
  MPI_Win_fence(draw(&shared, 2) ? MPI_MODE_NOPRECEDE : 0, now->win);
  for (int target = 0; target < size; target++) use_target(target, 0);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, now->win);
  all_completed(-1, 0);
}

static void starts_and_posts(void) {
  MPI_Group group;
  is_passive = 0;
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Win_post(group, 0, now->win);
  MPI_Win_start(group, 0, now->win);
  for (int target = 0; target < size; target++) use_target(target, 0);
  MPI_Win_complete(now->win);
  all_completed(-1, 0);
  if (draw(&own, 2))
    MPI_Win_wait(now->win);
  else
    for (int is_over = 0; !is_over;) MPI_Win_test(now->win, &is_over);
  MPI_Group_free(&group);
}

static void locks(void) {
  is_passive = 1;
  for (int target = 0; target < size; target++) {
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, now->win);
    use_target(target, 0);
    if (draw(&own, 2)) wait_for_requests();
    MPI_Win_unlock(target, now->win);
    wait_for_requests();
    all_completed(target, 0);
  }
}

static void locks_all(void) {
  is_passive = 1;
  MPI_Win_lock_all(0, now->win);
  for (int target = 0; target < size; target++) use_target(target, 1);
  if (draw(&own, 2)) MPI_Win_flush_all(now->win);
  if (draw(&own, 2)) MPI_Win_sync(now->win);
  wait_for_requests();
  MPI_Win_unlock_all(now->win);
  all_completed(-1, 0);
}

// No other process reads or writes the slot in between.
static void counts(void) {
  for (int target = 0; target < size; target++) {
    int value = SPENT, *words = model[target];
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, now->win);
    CALL(Get, &value, 1, MPI_INT, target, place_of(target, 0), 1, MPI_INT, now->win);
    MPI_Win_flush(target, now->win);
    value++;
    CALL(Put, &value, 1, MPI_INT, target, place_of(target, 0), 1, MPI_INT, now->win);
    MPI_Win_unlock(target, now->win);
    words[0] += size;
  }
}

static void program(void) {
  static void (*const ways[])(void) = {fences, starts_and_posts, locks, locks_all, counts};
  now = &windows[draw(&shared, WINDOWS)];
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, now->win);
  for (int i = 0; i < WORDS; i++) now->memory[i] = 1000 * rank + i;
  MPI_Win_unlock(rank, now->win);
  for (int k = 0; k < size; k++)
    for (int i = 0; i < WORDS; i++) model[k][i] = 1000 * k + i;
  MPI_Barrier(MPI_COMM_WORLD);
  used = asked = 0;
  ways[draw(&shared, sizeof ways / sizeof *ways)]();
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, now->win);
  NEED(!memcmp(now->memory, model[rank], sizeof model[rank]));
  for (int i = 0; i < WORDS; i++) result += (uint64_t)(now->memory[i] * (i + 3));
  MPI_Win_unlock(rank, now->win);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  NEED(size > 1 && size <= MANY && argc > 2);
  shared += (uint64_t)atoi(argv[1]);
  own += shared + (uint64_t)rank * 7919;
  make_types();
  make_windows();
  for (int i = 0; i < atoi(argv[2]); i++) program();
  uint64_t all;
  MPI_Reduce(&result, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("result %llx\n", (unsigned long long)all);
  MPI_Win_detach(windows[3].win, windows[3].memory);
  for (int i = 0; i < WINDOWS; i++) MPI_Win_free(&windows[i].win);
  free(windows[1].memory);
  free(windows[3].memory);
  for (int i = 1; i < KINDS; i++) MPI_Type_free(&types[i]);
  MPI_Finalize();
  return 0;
}
