// SPDX-License-Identifier: MIT
// Asks the watcher, without waiting, which variable or heap block contains each buffer. It asks
// once for each place in the program that passes the buffer (mpipp/watcher/buffer_owners/).
#ifndef MPIPP_CALL_FILTER_BUFFER_OWNERS_H
#define MPIPP_CALL_FILTER_BUFFER_OWNERS_H

#include "registry/object_store.h"

enum {
  MPIPP_KNOWN_PLACES = 1024,
  MPIPP_ALL_USES = 4096, // the first calls of a thread look up each use, later calls only one in 64
};

// The places that were looked up, in a hash table. Two places that share an entry are looked up
// each time.
extern uint64_t mpipp_filter_known_places[MPIPP_KNOWN_PLACES] MPIPP_HIDDEN;
// A mask: if these bits of a call's serial are 0, its use is looked up, even from a known place.
extern uint64_t mpipp_filter_use_mask MPIPP_HIDDEN;

// The Python version (Py_Version) if mpi4py is loaded, else 0. Also the Python frame of this
// thread's last call from mpi4py, and its place.
extern uint64_t mpipp_filter_python_version MPIPP_HIDDEN;
extern __thread uint64_t mpipp_filter_python_frame MPIPP_HIDDEN
    __attribute__((tls_model("initial-exec")));
extern __thread uint64_t mpipp_filter_python_place MPIPP_HIDDEN
    __attribute__((tls_model("initial-exec")));

static inline uint32_t mpipp_place_hash(uint64_t place) {
  return (uint32_t)place * 2654435769u >> 22;
}

// Returns whether the place is known, and this call's use (buffer, count and datatype) is not due
// to be looked up.
static inline int mpipp_is_known_use(const struct mpipp_call *call, uint64_t place) {
  return MPIPP_READ(mpipp_filter_known_places[mpipp_place_hash(place)]) == place &&
         call->serial & MPIPP_READ(mpipp_filter_use_mask);
}

// Looks up the use of the thread's current call, which comes from a place outside MPI.
void mpipp_filter_look_up_use(const struct mpipp_thread *thread, uint64_t place) MPIPP_COLD;
// Reads MPIPP_OWNERS: 1 if the run looks for owners.
void mpipp_filter_owners_open(void);
int mpipp_filter_finds_owners(void);
// Asks about the thread's current call, even if the same use was asked about before.
void mpipp_filter_ask_owners(const struct mpipp_thread *thread);

#endif
