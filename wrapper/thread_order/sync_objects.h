// SPDX-License-Identifier: MIT
// The order that synchronization gives to the threads of a process. A release passes a thread's
// order to an object, such as a mutex; an acquire takes it from there. The log of one-sided
// operations gets an entry only if an acquiring thread may learn of new entries by it.
#ifndef MPIPP_THREAD_ORDER_SYNC_OBJECTS_H
#define MPIPP_THREAD_ORDER_SYNC_OBJECTS_H

#include <stdint.h>

#include "abi/seam.h"
#include "registry/object_store.h"

enum { MPIPP_ORDER_THREADS = 64 }; // with more threads the order is unknown

// A synchronization object: what happened before its releases happens before later acquires. known:
// for each thread, the number of its log entries that happen before an acquire.
struct mpipp_order_object {
  uint64_t address; // the program's object; 0: unused
  uint64_t last;    // version of the thread that released it last
  uint64_t news;    // number of changes of `known`
  uint32_t lock, number;
  uint32_t known[MPIPP_ORDER_THREADS];
};

// 1 while several threads may exist in a run that logs one-sided operations.
extern int mpipp_order_is_active MPIPP_HIDDEN;
// Begins to record the order of threads. Called when the process creates its first thread.
void mpipp_order_begin(void);
// Records that the order of threads is unknown from now on.
void mpipp_order_lose(void);

// Returns whether this thread is in MPI, whose own locks order nothing for the program.
int mpipp_order_is_in_mpi(void);
// Begins this thread with an acquire of the object that its creator has released. number: of an
// ended thread that the creator has joined, or 0. The number can be reused, because all events of
// that thread happened before.
void mpipp_order_be_born(struct mpipp_order_object *object, uint32_t number);

// Release or acquire the object at an address. place: a return address in the program.
void mpipp_order_release_at(const void *address, const void *place);
void mpipp_order_acquire_at(const void *address, const void *place);
// Acquires an object that only the thread that has acquired it releases, such as a mutex.
void mpipp_order_acquire_exclusive(const void *address, const void *place);

// Ignores releases and acquires at addresses that the code from `low` to `high` makes: the locks of
// a runtime order nothing for the program.
void mpipp_order_ignore(uint64_t low, uint64_t high);

// The place where the program calls the receiving function (descriptors.c) that this thread is in;
// NULL: it is in none.
MPIPP_SEAM const void *mpipp_order_reader(void);

// Prepares an object outside the table, which the caller owns.
void mpipp_order_object_init(struct mpipp_order_object *object);
void mpipp_order_release(struct mpipp_order_object *object, const void *place);
void mpipp_order_acquire(struct mpipp_order_object *object, const void *place);
// Release or acquire an object that a thread uses in a loop. last, seen: two variables of the
// thread for this object, 0 at first. If no order is new, the functions only compare these
// variables.
void mpipp_order_repeat_release(struct mpipp_order_object *object, uint64_t *last,
                                const void *place);
void mpipp_order_repeat_acquire(struct mpipp_order_object *object, uint64_t *seen,
                                const void *place);
// Releases the object; the thread ends, or does nothing before its next acquire.
void mpipp_order_rest(struct mpipp_order_object *object);
void mpipp_order_repeat_rest(struct mpipp_order_object *object, uint64_t *last);
// Releases the object at `address`, because the thread with that number ends.
void mpipp_order_end_at(const void *address, uint32_t number);
// Acquires that object in the thread that joins the ended one. Returns the number of the ended
// thread if a thread that this one creates may reuse it; else 0.
uint32_t mpipp_order_join_at(const void *address, const void *place);

#endif
