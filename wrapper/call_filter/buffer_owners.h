// SPDX-License-Identifier: MIT
// Asks the watcher, without waiting, which variable or heap block contains each buffer: once for
// each place that passes it (mpipp/watcher/buffer_owners/).
#ifndef MPIPP_CALL_FILTER_BUFFER_OWNERS_H
#define MPIPP_CALL_FILTER_BUFFER_OWNERS_H

#include "registry/object_store.h"

enum {
  MPIPP_KNOWN_PLACES = 1024,
  MPIPP_ALL_USES = 4096, // calls of a thread whose every use is looked up, then each 64th
};

// Places that were looked up, by their hash. Two that share an entry are looked up each time.
extern uint64_t mpipp_filter_known_places[MPIPP_KNOWN_PLACES] MPIPP_HIDDEN;
// The bits of a call's number that are 0 if its use is looked up, too.
extern uint64_t mpipp_filter_use_mask MPIPP_HIDDEN;

// Py_Version if mpi4py calls, else 0; and the frame of Python that the thread's last call from
// mpi4py comes from, with its place.
extern uint64_t mpipp_filter_python_version MPIPP_HIDDEN;
extern __thread uint64_t mpipp_filter_python_frame MPIPP_HIDDEN
    __attribute__((tls_model("initial-exec")));
extern __thread uint64_t mpipp_filter_python_place MPIPP_HIDDEN
    __attribute__((tls_model("initial-exec")));

static inline uint32_t mpipp_place_hash(uint64_t place) {
  return (uint32_t)place * 2654435769u >> 22;
}

// Returns whether the place is known, and the use (buffer, count and datatype) is not to be looked
// up.
static inline int mpipp_is_known_use(const struct mpipp_call *call, uint64_t place) {
  return MPIPP_READ(mpipp_filter_known_places[mpipp_place_hash(place)]) == place &&
         call->serial & MPIPP_READ(mpipp_filter_use_mask);
}

// The call that the thread is inside of, at a place outside MPI.
void mpipp_filter_look_up_use(const struct mpipp_thread *thread, uint64_t place) MPIPP_COLD;
// MPIPP_OWNERS: 1 if the run asks for it.
void mpipp_filter_owners_open(void);

#endif
