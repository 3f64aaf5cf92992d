// SPDX-License-Identifier: MIT
// Queries to the watcher about calls that the call filter could not clear. A query is a block of
// shared memory, with all facts on which the answer depends, as they were when the call was made.
// Usually the program continues meanwhile. All functions need the store's lock.
#ifndef MPIPP_WATCHER_CLIENT_QUERIES_H
#define MPIPP_WATCHER_CLIENT_QUERIES_H

#include "abi/seam.h"
#include "generated/layouts.h"
#include "registry/buffer_accesses.h"
#include "registry/object_store.h"

// The kinds of items that follow the head of a query.
enum mpipp_note_kind {
  MPIPP_NOTE_OBJECT = 1, // a: the object's kind, b: its handle; ~0 for a datatype whose handle is
                         // not known
  MPIPP_NOTE_MEMORY,     // a: the address of bytes, which follow; b: 1 if they are a record
  MPIPP_NOTE_PENDING,    // a: the address of a request's or a file's record; b: its kind
  MPIPP_NOTE_OTHER,      // a: the address of a thread's record: another call that is active
  MPIPP_NOTE_TOUCH,      // a struct mpipp_touched follows, then u64: addresses of the accessing
                         // instruction and of its callers
  MPIPP_NOTE_GIVEN_BACK, // freed memory: a: its address, b: its bytes; then u64 as for
                         // MPIPP_NOTE_TOUCH
  MPIPP_NOTE_CHANGE,     // a struct mpipp_change follows
  MPIPP_NOTE_FRAME,     // a stack frame: a: an address of its code, b: its canonical frame address;
                        // then u64: its registers, if they are known
  MPIPP_NOTE_READ_ONLY, // memory that is not writable: a: its address, b: its end
  MPIPP_NOTE_UNMAPPED,  // memory that is not mapped: a: its address, b: its end
  MPIPP_NOTE_PYTHON,    // a: the address of a Python frame, b: Py_Version
  MPIPP_NOTE_HEAP_BLOCK, // a block that malloc has returned: a: its address, b: its end
};

struct mpipp_note {
  uint32_t kind, kept; // kept: 1 if the query holds a reference to the record
  uint64_t bytes;      // number of bytes that follow, without padding
  uint64_t a, b;
  uint64_t record; // address of a record, 0 if none
};
MPIPP_LAYOUT(mpipp_note);

enum mpipp_awaits {
  MPIPP_AWAITS_NOTHING, // the program continues
  MPIPP_AWAITS_ANSWER,  // the program waits for the answer
  // The program waits, to test the call filter: the filter has cleared the call, and the query has
  // all pending operations.
  MPIPP_AWAITS_CLEARED,
  MPIPP_AWAITS_PLACE, // the program waits to learn whether it has to stop in this call
  MPIPP_AWAITS_TOUCH, // the program continues; the query is about an event before the call
  MPIPP_AWAITS_STOP,  // like TOUCH, but the program waits to learn whether it has to stop
  // The program continues. The stack frames in the query are those of the call.
  MPIPP_AWAITS_OWNERS,
};

struct mpipp_question {
  char magic[8];
  uint64_t bytes; // size of the whole query
  uint64_t tid;
  uint64_t status; // enum mpipp_status: the state of MPI
  uint64_t awaits; // enum mpipp_awaits
  uint64_t next;   // address of the next query, 0 if none
  struct mpipp_call call;
  // The items follow.
};
MPIPP_LAYOUT(mpipp_question);

// The effect of the queried call on the operation whose buffer was accessed.
enum mpipp_ends {
  MPIPP_ENDS_NOT,
  MPIPP_ENDS_MAYBE, // perhaps: a test, or a call that waits for some of several operations
  MPIPP_ENDS,
  MPIPP_ENDS_FREED,
  MPIPP_ENDS_NEVER,     // the call is MPI_Finalize, and nothing has completed the operation
  MPIPP_ENDS_MEANWHILE, // the call was active at the access, and has completed the operation
};

// A load or store to the buffer of a pending operation.
struct mpipp_touched {
  uint64_t serial; // serial of the operation's request
  uint64_t address, tid;
  uint32_t stores; // 1: a store, 0: a load
  uint32_t moved;  // enum mpipp_moved
  uint32_t ends;   // enum mpipp_ends
  uint32_t bytes;  // bytes of the whole access; 0: unknown
};
MPIPP_LAYOUT(mpipp_touched);

// A change in the buffer of an operation, which was found at completion: the bytes [start, start +
// count), before and now.
enum mpipp_change_kind {
  MPIPP_CHANGE_SENT = 1, // in a buffer that MPI reads
  MPIPP_CHANGE_RECEIVED, // in a buffer that MPI writes, so its earlier content has no meaning
  MPIPP_CHANGE_GONE,     // no change: the buffer is on the stack, in a function that has returned
};
enum { MPIPP_CHANGE_BYTES = 32 };
struct mpipp_change {
  uint64_t kind, address; // kind: enum mpipp_change_kind; address: of the first byte that differs
  uint64_t start, count;
  char before[MPIPP_CHANGE_BYTES], now[MPIPP_CHANGE_BYTES];
};
MPIPP_LAYOUT(mpipp_change);

// The query that is being written; `question` is NULL if there was no space.
struct mpipp_asking {
  struct mpipp_question *question;
  uint64_t room;
};

MPIPP_SEAM void mpipp_watcher_ask_begin(struct mpipp_asking *asking,
                                        const struct mpipp_thread *thread);
// Adds the present record of a handle, and that the handle leads to it.
void mpipp_watcher_ask_object(struct mpipp_asking *asking, enum mpipp_kind kind, uint64_t handle);
// Adds a datatype's record by its address.
void mpipp_watcher_ask_datatype(struct mpipp_asking *asking, uint64_t record, uint64_t handle);
// Reads the program's memory. Returns 0 if it is unmapped. May change errno.
MPIPP_SEAM int mpipp_watcher_read_own(void *to, uint64_t address, uint64_t bytes);
// Adds the content of the program's memory, if it can be read.
void mpipp_watcher_ask_memory(struct mpipp_asking *asking, uint64_t address, uint64_t bytes);
// Adds the datatypes, the communicator and the arrays of a request's call.
void mpipp_watcher_ask_parts(struct mpipp_asking *asking, const struct mpipp_call *call);
MPIPP_SEAM void mpipp_watcher_ask_pending(struct mpipp_asking *asking,
                                          const struct mpipp_request *request);
// Adds the split collective call that is pending on a file.
void mpipp_watcher_ask_split(struct mpipp_asking *asking, const struct mpipp_file *file);
void mpipp_watcher_ask_other_thread(struct mpipp_asking *asking, const struct mpipp_thread *thread);
// Adds an access to a buffer. callers: return addresses of the callers of the instruction.
MPIPP_SEAM void mpipp_watcher_ask_touch(struct mpipp_asking *asking, struct mpipp_touched touched,
                                        uint64_t instruction, const uint64_t *callers,
                                        uint64_t count);
// Adds memory that the program has freed. The place is passed as in mpipp_watcher_ask_touch.
MPIPP_SEAM void mpipp_watcher_ask_freed_memory(struct mpipp_asking *asking, uint64_t start,
                                               uint64_t bytes, const uint64_t *places,
                                               uint64_t count);
MPIPP_SEAM void mpipp_watcher_ask_change(struct mpipp_asking *asking,
                                         const struct mpipp_change *change);
// Adds the stack frame that contains the accessed address. code: where its function continues. end:
// the canonical frame address of DWARF. registers: their values there, by DWARF's
// numbers; NULL: unknown.
enum { MPIPP_FRAME_REGISTERS = 16 };
MPIPP_SEAM void mpipp_watcher_ask_frame(struct mpipp_asking *asking, uint64_t code, uint64_t end,
                                        const uint64_t *registers);
// Adds the Python frame that makes the call.
void mpipp_watcher_ask_python_frame(struct mpipp_asking *asking, uint64_t frame, uint64_t version);
// Adds the range [start, end) that is not writable, not mapped, or a heap block.
void mpipp_watcher_ask_gap(struct mpipp_asking *asking, enum mpipp_note_kind kind, uint64_t start,
                           uint64_t end);
// Waits until all queries are answered, but not forever. Returns whether there is a new finding.
MPIPP_SEAM int mpipp_watcher_ask_await(void);
// MPI's error class for the last query that was waited for; MPI_SUCCESS if the call is not
// certainly wrong.
int mpipp_watcher_ask_class(void);
// Sends the query. Returns 0 if that was not possible, and counts it.
MPIPP_SEAM int mpipp_watcher_ask_end(struct mpipp_asking *asking);

// Sends the waiting queries. Called before the process announces its end.
void mpipp_watcher_questions_flush(void);

#endif
