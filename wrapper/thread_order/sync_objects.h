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

// An object that passes on the order of threads. known: for each thread the number of its entries
// in the log that precede an acquire.
struct mpipp_order_object {
  uint64_t address; // the program's object; 0: unused
  uint64_t last;    // identifies the last release that changed nothing, or all that it knows
  uint64_t news;    // how often `known` has changed
  uint32_t lock, number;
  uint32_t known[MPIPP_ORDER_THREADS];
};

// 1 while several threads may exist in a run that logs one-sided operations.
extern int mpipp_order_is_active MPIPP_HIDDEN;
// Begins, when the process creates its first thread.
void mpipp_order_begin(void);
// The order of threads is unknown from now on.
void mpipp_order_lose(void);

// Returns whether this thread is in MPI, whose own locks order nothing for the program.
int mpipp_order_is_in_mpi(void);
// This thread begins, and acquires the object that its creator has released. number: that of an
// ended thread that the creator has joined, because all its events come before; 0: a new one.
void mpipp_order_be_born(struct mpipp_order_object *object, uint32_t number);

// A release or acquire of the object at an address. place: a return address in the program.
void mpipp_order_release_at(const void *address, const void *place);
void mpipp_order_acquire_at(const void *address, const void *place);
// An acquire of an object that only the thread that has acquired it releases, as a mutex.
void mpipp_order_acquire_exclusive(const void *address, const void *place);

// The place where the program calls the function of this part that this thread is in. NULL: it is
// in none that receives data.
MPIPP_SEAM const void *mpipp_order_reader(void);

// Prepares an object outside the table, which the caller owns.
void mpipp_order_object_init(struct mpipp_order_object *object);
void mpipp_order_release(struct mpipp_order_object *object, const void *place);
void mpipp_order_acquire(struct mpipp_order_object *object, const void *place);
// A release or acquire of an object that a thread uses in a loop. last, seen: numbers of the thread
// for this object, 0 at first. If nothing is new, they cost a compare.
void mpipp_order_repeat_release(struct mpipp_order_object *object, uint64_t *last,
                                const void *place);
void mpipp_order_repeat_acquire(struct mpipp_order_object *object, uint64_t *seen,
                                const void *place);
// A release by a thread that ends, or that does nothing before its next acquire.
void mpipp_order_rest(struct mpipp_order_object *object);
// The release of a thread that ends, to the object at `address`.
void mpipp_order_end_at(const void *address, uint32_t number);
// The acquire of a thread that joins it. Returns the number of the ended thread if a new thread of
// this one may have it; 0: none.
uint32_t mpipp_order_join_at(const void *address, const void *place);

#endif
