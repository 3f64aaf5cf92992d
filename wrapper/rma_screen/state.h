// SPDX-License-Identifier: MIT
// The state of the screen while it replays the logs.
#ifndef MPIPP_RMA_SCREEN_STATE_H
#define MPIPP_RMA_SCREEN_STATE_H

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

#include "rma_screen/screen.h"

struct mpipp_screen_selection;

// Ends the replay: the logs may have findings.
#define UNCERTAIN(S) mpipp_screen_end((S), __LINE__)
#define EXPECT(S, CONDITION)                                                                       \
  do {                                                                                             \
    if (!(CONDITION)) UNCERTAIN(S);                                                                \
  } while (0)

enum { NONE = UINT32_MAX };
static const int64_t PENDING = (int64_t)1 << 62; // a time that no clock reaches

// A hash table from two words to a number.
struct mpipp_screen_table {
  struct mpipp_screen_slot {
    uint64_t one, other;
    uint32_t value, used;
  } * slots;
  uint32_t capacity, count;
};

struct mpipp_screen_numbers { // a list of numbers
  uint32_t *of, count, capacity;
};

// The kinds of accesses, in the order of
// mpipp/analysis/rma_engine/access_rules.py.
enum mpipp_screen_kind { LOAD, STORE, READ, WRITTEN, GET, PUT, ACCUMULATE };
enum mpipp_screen_exclusion { UNLOCKED, SHARED, EXCLUSIVE };

struct mpipp_screen_blocks { // `exact`: these are all bytes; else only their
                             // bounds are right
  int64_t first, length, stride, times;
  int exact;
};

struct mpipp_screen_access {
  int64_t low, high, end_time;
  struct mpipp_screen_blocks memory;
  uint64_t frame;
  uint32_t actor, owner, end_process;
  uint32_t window;            // that has the memory, or NONE
  uint32_t op_window, target; // of the operation
  uint32_t op, type, size;    // of an accumulate
  uint8_t kind, lock, reads_first, fetches;
  uint8_t at_origin;  // it ends when its operation is complete at the origin
  uint8_t is_pending; // it is in the list of its target, or of its request
  uint8_t has_request, is_get, in_lock;
  uint8_t is_selected; // the engine needs its entry
  uint8_t is_dead, cells;
};

struct mpipp_screen_cell_link { // an access in one cell
  uint32_t access, next;
};

struct mpipp_screen_memory { // the accesses to the memory of one process
  struct mpipp_screen_table cells;
  uint64_t levels; // bit i: a cell of 2^i bytes was used
};

struct mpipp_screen_meeting { // a collective call
  int64_t *begun,
      *joint; // the clock of each process at its start; all of them joined
  uint8_t *has_begun;
  uint32_t number, size, count, users, asserted;
};

struct mpipp_screen_epochs { // of one process on one window
  uint64_t base, size;
  int64_t unit;
  uint8_t *locks;     // by target: 0, or 1 + enum mpipp_screen_exclusion
  uint8_t *has_gets;  // by target: whether the exclusive epoch has a get
  uint8_t all_locked; // 0, or 1 + enum mpipp_screen_exclusion
  uint8_t fence, used, stored, is_made, of_program;
  uint8_t is_ordered; // all processes have begun the last fence
  uint32_t lock_count, fences, rank, size_of_group;
  uint64_t serial, all_lock_entry, *lock_entries; // the entries that opened epochs
  struct mpipp_screen_meeting *meeting;           // of the last fence
  // For MPI_Win_start and MPI_Win_post, by process: 1 + the number of the call in the open epoch,
  // or 0; and the number of calls.
  uint8_t is_started, is_posted;
  uint32_t *started, *starts, *posted, *posts;
  struct mpipp_screen_numbers waited;   // the operations that have ended with MPI_Win_wait
  struct mpipp_screen_numbers *pending; // by target
  struct mpipp_screen_numbers targets;  // the targets with pending operations
};

struct mpipp_screen_window {
  const uint64_t *ranks; // NULL: the ranks in MPI_COMM_WORLD from 0 on
  uint32_t size;
  uint8_t has_hints, has_locks, has_posts;
  struct mpipp_screen_epochs **epochs; // by process
};

struct mpipp_screen_comm {
  uint64_t identity, size, remote;
  uint64_t *ranks; // NULL: from 0 on
};

struct mpipp_screen_type { // answers about a datatype
  struct mpipp_screen_blocks memory;
  int repeats;
};

enum { MPIPP_SCREEN_MOST_USED = 4 }; // accesses of an operation

// An active request of an operation on a window, a collective call, or a
// synchronous send.
struct mpipp_screen_request {
  uint64_t number, ordinal;
  uint32_t window, target, channel;
  uint32_t accesses[MPIPP_SCREEN_MOST_USED], count;
  uint8_t is_active, is_operation, takes, is_selected;
  struct mpipp_screen_meeting *meeting;
};

// The uses of a possible flag by entries that are not selected, by their numbers plus 1.
struct mpipp_screen_flag_use {
  uint32_t window, owner;
  uint8_t flag, is_used, has_suspected;
  uint64_t suspected, read, written;
  int64_t segment; // that has read it
};

struct mpipp_screen_process {
  const struct mpipp_screen_log *log;
  uint64_t at, reported, thread;
  uint64_t entries; // that were read
  struct {          // the current entry
    uint32_t kind, procedure;
    uint64_t head, count;
    const uint64_t *words;
  } entry;
  uint64_t *whole, whole_count,
      whole_capacity; // indices of the complete entries
  uint64_t *changed;  // the words of an entry that is like another
  int64_t *clock;
  uint8_t has_thread, is_waiting, has_ended, is_done;
  struct mpipp_screen_meeting *meeting; // the collective call that it waits in
  struct mpipp_screen_table windows;    // by serial
  struct mpipp_screen_table types, basics, ops, procedures;
  struct mpipp_screen_table posted;   // number of receives by channel
  struct mpipp_screen_table receives; // active ones, by request
  struct mpipp_screen_table active;   // other requests, by number
  struct mpipp_screen_request *requests;
  uint32_t request_count, request_capacity;
  struct mpipp_screen_numbers free_requests;
  uint8_t has_sent; // the synchronous send that it waits in has begun
  struct mpipp_screen_comm *comms;
  uint32_t comm_count, comm_capacity;
  struct mpipp_screen_numbers own; // its windows
  // For the selection of entries. `added`: the accesses of the current entry. `flags`: by window,
  // owner and flag, the number of a use in `uses`. `used`: these since the last report.
  uint32_t added[MPIPP_SCREEN_MOST_USED], added_count;
  uint8_t touches;     // whether the current entry has an access to suspicious memory
  uint8_t selects_all; // whether all entries are selected until the end of exclusive locks
  uint32_t exclusive_locks;
  struct mpipp_screen_table flags;
  struct mpipp_screen_flag_use *uses;
  uint32_t use_count, use_capacity;
  struct mpipp_screen_numbers used;
};

struct mpipp_screen_state {
  jmp_buf uncertain;
  int reason;
  const struct mpipp_screen_log *logs;
  mpipp_screen_ask ask;
  struct mpipp_screen_selection *selection; // NULL: the first suspicious pair ends the replay
  uint32_t number;                          // of processes
  struct mpipp_screen_process *processes;
  struct mpipp_screen_table indices; // of processes, by rank
  struct mpipp_screen_table names;   // of windows
  struct mpipp_screen_window *windows;
  uint32_t window_count, window_capacity;
  struct mpipp_screen_memory *memory;
  struct mpipp_screen_access *accesses;
  uint32_t access_count, access_capacity, free_access, added, kept;
  struct mpipp_screen_cell_link *links;
  uint32_t link_count, link_capacity, free_link;
  struct mpipp_screen_table meetings, channels, pairs, messages;
  struct mpipp_screen_meeting **met; // all meetings, by their number in `meetings`
  uint32_t met_count, met_capacity;
  struct mpipp_screen_table taken; // clocks of receivers, by message
  struct mpipp_screen_sent {       // the clocks of messages, and of their receivers
    int64_t *clock;
    int is_synchronous;
  } * sent;
  uint32_t sent_count, sent_capacity;
  // Keys: window, target and origin, the number of the call. Values: clocks in `sent`, and for
  // `completes` also the operations in `left` with the same number.
  struct mpipp_screen_table posts, completes;
  struct mpipp_screen_numbers *left;
  uint32_t left_count, left_capacity;
  struct mpipp_screen_numbers free_meetings, free_messages;
  struct mpipp_screen_type *types;
  uint32_t type_count, type_capacity;
};

_Noreturn void mpipp_screen_end(struct mpipp_screen_state *s, int reason);

// The number of a process's window by its serial. Ends the replay if there is
// none.
uint32_t mpipp_screen_window(struct mpipp_screen_state *s, const struct mpipp_screen_process *p,
                             uint64_t serial);

// The answer to a question about a number, which is asked once.
uint32_t mpipp_screen_answer(struct mpipp_screen_state *s, uint32_t me,
                             struct mpipp_screen_table *of, int question, uint64_t number);

// The process with a rank in a window's group.
uint32_t mpipp_screen_member(struct mpipp_screen_state *s, const struct mpipp_screen_window *window,
                             uint64_t rank);

// Adds an active request of a process.
struct mpipp_screen_request *mpipp_screen_add_request(struct mpipp_screen_state *s,
                                                      struct mpipp_screen_process *p,
                                                      uint64_t number);
// Removes a request that has completed.
void mpipp_screen_drop_request(struct mpipp_screen_state *s, struct mpipp_screen_process *p,
                               struct mpipp_screen_request *request);

// Makes space for one more element. `size` is the size of each.
void *mpipp_screen_grow(struct mpipp_screen_state *s, void *of, uint32_t count, uint32_t *capacity,
                        size_t size);
#define GROW(S, OF, COUNT, CAPACITY)                                                               \
  ((OF) = mpipp_screen_grow((S), (OF), (COUNT), &(CAPACITY), sizeof *(OF)))
void *mpipp_screen_zeros(struct mpipp_screen_state *s, size_t count, size_t size);
void mpipp_screen_push(struct mpipp_screen_state *s, struct mpipp_screen_numbers *to,
                       uint32_t number);

// The slot of a key, or NULL.
struct mpipp_screen_slot *mpipp_screen_find(const struct mpipp_screen_table *of, uint64_t one,
                                            uint64_t other);
// The slot of a key, which is added with the value NONE if there is none.
struct mpipp_screen_slot *mpipp_screen_slot(struct mpipp_screen_state *s,
                                            struct mpipp_screen_table *of, uint64_t one,
                                            uint64_t other);
void mpipp_screen_remove(struct mpipp_screen_table *of, struct mpipp_screen_slot *slot);

#endif
