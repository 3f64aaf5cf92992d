// SPDX-License-Identifier: MIT
// Questions: what the watcher is to look at, of a call that a screen could not clear. A question is
// a block of the shared memory with all that the answer depends on, as it was when the call was
// made; the program goes on meanwhile. All of these with the store's lock.
#ifndef MPIPP_WATCHER_CLIENT_QUERIES_H
#define MPIPP_WATCHER_CLIENT_QUERIES_H

#include "generated/layouts.h"
#include "registry/buffer_accesses.h"
#include "registry/object_store.h"

// What follows the head of a question.
enum mpipp_note_kind {
  MPIPP_NOTE_OBJECT = 1, // a: its kind, b: its handle; of a datatype that has no handle there ~0
  MPIPP_NOTE_MEMORY,     // a: the address of bytes, which follow; b: 1 for a record
  MPIPP_NOTE_PENDING,    // a: the address of a request's or file's record; b: its kind
  MPIPP_NOTE_OTHER,      // a: the address of a thread's record: another call that is active
  MPIPP_NOTE_TOUCH,      // struct mpipp_touched, and u64: an instruction's address, its callers'
  MPIPP_NOTE_GIVEN_BACK, // a: address of memory, b: its bytes; u64: as of MPIPP_NOTE_TOUCH
  MPIPP_NOTE_CHANGE,     // struct mpipp_change
  MPIPP_NOTE_FRAME,      // a: an address of code of a stack frame, b: its canonical address
  MPIPP_NOTE_READ_ONLY,  // a: address of memory that is not to be written, b: where that ends
  MPIPP_NOTE_UNMAPPED,   // the same of what is no memory
};

struct mpipp_note {
  uint32_t kind, kept; // kept: 1 if the record is referred to
  uint64_t bytes;      // that follow, without padding
  uint64_t a, b;
  uint64_t record; // address, 0 if none
};
MPIPP_LAYOUT(mpipp_note);

enum mpipp_awaits {
  MPIPP_AWAITS_NOTHING, // the program goes on
  MPIPP_AWAITS_ANSWER,  // it waits
  // It waits, and the screens have cleared the call: now with all that is pending. For tests of the
  // screens.
  MPIPP_AWAITS_CLEARED,
  MPIPP_AWAITS_PLACE, // it waits, to be told whether it is to stop in this call
  MPIPP_AWAITS_TOUCH, // the program goes on; not the call is in question, but what came before it
  MPIPP_AWAITS_STOP,  // the same, but it waits, to be told whether it is to stop
};

struct mpipp_question {
  char magic[8];
  uint64_t bytes; // of all
  uint64_t tid;
  uint64_t status; // of MPI: enum mpipp_status
  uint64_t awaits; // enum mpipp_awaits
  uint64_t next;   // address of the one that was asked after it, 0 if none
  struct mpipp_call call;
  // notes follow
};
MPIPP_LAYOUT(mpipp_question);

// What the call that is in question does to an operation.
enum mpipp_ends {
  MPIPP_ENDS_NOT,
  MPIPP_ENDS_MAYBE, // a test, and what waits for some of several
  MPIPP_ENDS,
  MPIPP_ENDS_FREED,
  MPIPP_ENDS_NEVER,     // it is MPI_Finalize: nothing has ended the operation
  MPIPP_ENDS_MEANWHILE, // it was under way, and has ended the operation
};

// A load or store in the buffer of a pending operation.
struct mpipp_touched {
  uint64_t serial; // of the operation's request
  uint64_t address, tid;
  uint32_t stores; // 1; loads: 0
  uint32_t moved;  // enum mpipp_moved
  uint32_t ends;   // enum mpipp_ends
  uint32_t bytes;  // that the whole access has; 0: not known
};
MPIPP_LAYOUT(mpipp_touched);

// A change that was found in the buffer of an operation when it was complete: bytes
// [start, start + count) as they were and as they are.
enum mpipp_change_kind {
  MPIPP_CHANGE_SENT = 1, // of what MPI reads
  MPIPP_CHANGE_RECEIVED, // of what MPI writes: what was there before has no meaning
  MPIPP_CHANGE_GONE,     // none: it lies where no stack frame is any more
};
enum { MPIPP_CHANGE_BYTES = 32 };
struct mpipp_change {
  uint64_t kind, address; // enum mpipp_change_kind; of the first byte that is another
  uint64_t start, count;
  char before[MPIPP_CHANGE_BYTES], now[MPIPP_CHANGE_BYTES];
};
MPIPP_LAYOUT(mpipp_change);

// What is being written; NULL once it did not find room.
struct mpipp_asking {
  struct mpipp_question *question;
  uint64_t room;
};

void mpipp_watcher_ask_begin(struct mpipp_asking *asking, const struct mpipp_thread *thread);
// The record that a handle leads to, as it is now, and that it leads there.
void mpipp_watcher_ask_object(struct mpipp_asking *asking, enum mpipp_kind kind, uint64_t handle);
// A datatype's record that is known by its address.
void mpipp_watcher_ask_datatype(struct mpipp_asking *asking, uint64_t record, uint64_t handle);
// Reads the program's memory: 0 where it has none. It may change errno.
int mpipp_watcher_read_own(void *to, uint64_t address, uint64_t bytes);
// Memory of the program's, if it can be read.
void mpipp_watcher_ask_memory(struct mpipp_asking *asking, uint64_t address, uint64_t bytes);
// The datatypes, communicator and arrays of a request's call.
void mpipp_watcher_ask_parts(struct mpipp_asking *asking, const struct mpipp_call *call);
void mpipp_watcher_ask_pending(struct mpipp_asking *asking, const struct mpipp_request *request);
// The split collective call that is pending on a file.
void mpipp_watcher_ask_split(struct mpipp_asking *asking, const struct mpipp_file *file);
void mpipp_watcher_ask_other(struct mpipp_asking *asking, const struct mpipp_thread *thread);
// callers: return addresses behind the instruction's.
void mpipp_watcher_ask_touch(struct mpipp_asking *asking, struct mpipp_touched touched,
                             uint64_t instruction, const uint64_t *callers, uint64_t count);
// Memory that the program has given back, with where: as above.
void mpipp_watcher_ask_freed_memory(struct mpipp_asking *asking, uint64_t start, uint64_t bytes,
                                    const uint64_t *places, uint64_t count);
void mpipp_watcher_ask_change(struct mpipp_asking *asking, const struct mpipp_change *change);
// The stack frame that has the address in question: where its function goes on, and where it ends
// (DWARF's canonical frame address).
void mpipp_watcher_ask_frame(struct mpipp_asking *asking, uint64_t code, uint64_t end);
// [start, end) is not to be written, or no memory.
void mpipp_watcher_ask_gap(struct mpipp_asking *asking, enum mpipp_note_kind kind, uint64_t start,
                           uint64_t end);
// Until all that was asked is answered, not for ever; returns whether something new was found.
int mpipp_watcher_ask_await(void);
// Of the call that was asked about last and awaited: MPI's error class, if it is certain to be
// wrong.
int mpipp_watcher_ask_class(void);
// Sends it; returns 0 if it could not be asked, which is counted.
int mpipp_watcher_ask_end(struct mpipp_asking *asking);

// Before the process says that it is over: sends what waits to be sent.
void mpipp_watcher_questions_flush(void);

#endif
