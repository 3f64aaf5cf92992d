// SPDX-License-Identifier: MIT
// Queries to the watcher about a call that the call filter could not clear. A query is a block of
// the shared memory. It has all facts that the answer depends on, as they were when the call was
// made; the program continues meanwhile. All functions need the store's lock.
#ifndef MPIPP_WATCHER_CLIENT_QUERIES_H
#define MPIPP_WATCHER_CLIENT_QUERIES_H

#include "abi/seam.h"
#include "generated/layouts.h"
#include "registry/buffer_accesses.h"
#include "registry/object_store.h"

// The items behind the head of a query.
enum mpipp_note_kind {
  MPIPP_NOTE_OBJECT = 1, // a: its kind, b: its handle; ~0 for a datatype without a handle there
  MPIPP_NOTE_MEMORY,     // a: the address of bytes, which follow; b: 1 for a record
  MPIPP_NOTE_PENDING,    // a: the address of a request's or file's record; b: its kind
  MPIPP_NOTE_OTHER,      // a: the address of a thread's record: another call that is active
  MPIPP_NOTE_TOUCH,      // struct mpipp_touched, and u64: an instruction's address, its callers'
  MPIPP_NOTE_GIVEN_BACK, // a: address of memory, b: its bytes; u64: as for MPIPP_NOTE_TOUCH
  MPIPP_NOTE_CHANGE,     // struct mpipp_change
  MPIPP_NOTE_FRAME,      // a: an address of code of a stack frame, b: its canonical address
  MPIPP_NOTE_READ_ONLY,  // a: address of memory that is not writable, b: where that ends
  MPIPP_NOTE_UNMAPPED,   // like READ_ONLY, for unmapped addresses
  MPIPP_NOTE_PYTHON,     // a: the address of a frame of Python, b: Py_Version
  MPIPP_NOTE_HEAP_BLOCK, // a: address of a block that malloc has returned, b: where that ends
};

struct mpipp_note {
  uint32_t kind, kept; // kept: 1 if the record is referred to
  uint64_t bytes;      // that follow, without padding
  uint64_t a, b;
  uint64_t record; // address, 0 if none
};
MPIPP_LAYOUT(mpipp_note);

enum mpipp_awaits {
  MPIPP_AWAITS_NOTHING, // the program continues
  MPIPP_AWAITS_ANSWER,  // it waits
  // It waits, and the call filter has cleared the call: now with all pending operations. For tests
  // of the filter.
  MPIPP_AWAITS_CLEARED,
  MPIPP_AWAITS_PLACE, // it waits, to learn whether it has to stop in this call
  MPIPP_AWAITS_TOUCH, // the program continues; the query is about events before the call
  MPIPP_AWAITS_STOP,  // like TOUCH, but it waits, to learn whether it has to stop
  // The program continues; its stack frames are those of the call.
  MPIPP_AWAITS_OWNERS,
};

struct mpipp_question {
  char magic[8];
  uint64_t bytes; // of all
  uint64_t tid;
  uint64_t status; // of MPI: enum mpipp_status
  uint64_t awaits; // enum mpipp_awaits
  uint64_t next;   // address of the query that was asked after it, 0 if none
  struct mpipp_call call;
  // notes follow
};
MPIPP_LAYOUT(mpipp_question);

// The effect of the queried call on an operation.
enum mpipp_ends {
  MPIPP_ENDS_NOT,
  MPIPP_ENDS_MAYBE, // a test, and calls that wait for some of several
  MPIPP_ENDS,
  MPIPP_ENDS_FREED,
  MPIPP_ENDS_NEVER,     // it is MPI_Finalize: nothing has ended the operation
  MPIPP_ENDS_MEANWHILE, // it was active, and has ended the operation
};

// A load or store in the buffer of a pending operation.
struct mpipp_touched {
  uint64_t serial; // of the operation's request
  uint64_t address, tid;
  uint32_t stores; // 1; loads: 0
  uint32_t moved;  // enum mpipp_moved
  uint32_t ends;   // enum mpipp_ends
  uint32_t bytes;  // of the whole access; 0: unknown
};
MPIPP_LAYOUT(mpipp_touched);

// A change in the buffer of an operation, found at its completion: bytes [start, start + count) as
// they were and as they are.
enum mpipp_change_kind {
  MPIPP_CHANGE_SENT = 1, // of a buffer that MPI reads
  MPIPP_CHANGE_RECEIVED, // of a buffer that MPI writes: its former content has no meaning
  MPIPP_CHANGE_GONE,     // none: it is on the stack, in a function that has returned
};
enum { MPIPP_CHANGE_BYTES = 32 };
struct mpipp_change {
  uint64_t kind, address; // enum mpipp_change_kind; of the first byte that differs
  uint64_t start, count;
  char before[MPIPP_CHANGE_BYTES], now[MPIPP_CHANGE_BYTES];
};
MPIPP_LAYOUT(mpipp_change);

// The query that is being written; NULL once it did not fit.
struct mpipp_asking {
  struct mpipp_question *question;
  uint64_t room;
};

MPIPP_SEAM void mpipp_watcher_ask_begin(struct mpipp_asking *asking,
                                        const struct mpipp_thread *thread);
// The record of a handle, as it is now, and the fact that the handle leads to it.
void mpipp_watcher_ask_object(struct mpipp_asking *asking, enum mpipp_kind kind, uint64_t handle);
// A datatype's record that is known by its address.
void mpipp_watcher_ask_datatype(struct mpipp_asking *asking, uint64_t record, uint64_t handle);
// Reads the program's memory: 0 if it is unmapped. It may change errno.
MPIPP_SEAM int mpipp_watcher_read_own(void *to, uint64_t address, uint64_t bytes);
// Memory of the program, if it can be read.
void mpipp_watcher_ask_memory(struct mpipp_asking *asking, uint64_t address, uint64_t bytes);
// The datatypes, communicator and arrays of a request's call.
void mpipp_watcher_ask_parts(struct mpipp_asking *asking, const struct mpipp_call *call);
MPIPP_SEAM void mpipp_watcher_ask_pending(struct mpipp_asking *asking,
                                          const struct mpipp_request *request);
// The split collective call that is pending on a file.
void mpipp_watcher_ask_split(struct mpipp_asking *asking, const struct mpipp_file *file);
void mpipp_watcher_ask_other_thread(struct mpipp_asking *asking, const struct mpipp_thread *thread);
// callers: return addresses behind the instruction's.
MPIPP_SEAM void mpipp_watcher_ask_touch(struct mpipp_asking *asking, struct mpipp_touched touched,
                                        uint64_t instruction, const uint64_t *callers,
                                        uint64_t count);
// Memory that the program has freed, and the place: as above.
MPIPP_SEAM void mpipp_watcher_ask_freed_memory(struct mpipp_asking *asking, uint64_t start,
                                               uint64_t bytes, const uint64_t *places,
                                               uint64_t count);
MPIPP_SEAM void mpipp_watcher_ask_change(struct mpipp_asking *asking,
                                         const struct mpipp_change *change);
// The stack frame that contains the queried address: where its function continues, and where it
// ends (DWARF's canonical frame address).
MPIPP_SEAM void mpipp_watcher_ask_frame(struct mpipp_asking *asking, uint64_t code, uint64_t end);
// The frame of Python that the call comes from.
void mpipp_watcher_ask_python_frame(struct mpipp_asking *asking, uint64_t frame, uint64_t version);
// [start, end) is not writable, not mapped, or a block of the heap.
void mpipp_watcher_ask_gap(struct mpipp_asking *asking, enum mpipp_note_kind kind, uint64_t start,
                           uint64_t end);
// Waits until all queries are answered, but not forever; returns whether there is a new finding.
MPIPP_SEAM int mpipp_watcher_ask_await(void);
// MPI's error class of the call that was queried last and awaited, if it is certain to be wrong.
int mpipp_watcher_ask_class(void);
// Sends it; returns 0 if that was not possible, which is counted.
MPIPP_SEAM int mpipp_watcher_ask_end(struct mpipp_asking *asking);

// Before the process announces its end: sends the waiting queries.
void mpipp_watcher_questions_flush(void);

#endif
