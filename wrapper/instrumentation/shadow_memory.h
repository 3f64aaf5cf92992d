// SPDX-License-Identifier: MIT
// The bytes of pending operations' buffers, which compiled programs check: the set of bytes, and
// the shadow that leads to it. With the guard's lock.
#ifndef MPIPP_INSTRUMENTATION_SHADOW_MEMORY_H
#define MPIPP_INSTRUMENTATION_SHADOW_MEMORY_H

#include "buffer_guard/memory/byte_set.h"
#include "registry/guard_coverage.h"
#include "registry/records.h"

struct mpipp_shadow_range;

// The buffers of a request that a call has made; NULL if their bytes are not known exactly.
struct mpipp_shadow_range *mpipp_instrument_shadow_new(const struct mpipp_request *request);
// Memory whose loads and stores are all recorded from now on, without a request; NULL: there are
// too many. It takes over the bytes.
struct mpipp_shadow_range *mpipp_instrument_shadow_memory(const struct mpipp_bytes *bytes);
// The entry of a request, by the number of its record; NULL.
struct mpipp_shadow_range *mpipp_instrument_shadow_of(uint64_t serial);
// The operation is pending from now on, one of those of that place (NULL: none); or no longer.
void mpipp_instrument_shadow_begin(struct mpipp_shadow_range *looked, struct mpipp_cover *cover);
void mpipp_instrument_shadow_end(struct mpipp_shadow_range *looked);
// The request no longer exists.
void mpipp_instrument_shadow_drop(struct mpipp_shadow_range *looked);
void mpipp_instrument_shadow_end_all(void);
// Persistent requests with that handle are no longer pending.
void mpipp_instrument_shadow_end_persistent(uint64_t request);
// The number of operations that have begun. The function ends those that had begun before a call
// was made, if the call, which has returned, has completed them at the origin. Their requests may
// still exist.
extern uint64_t mpipp_instrument_shadow_begun_count __attribute__((visibility("hidden")));
void mpipp_instrument_shadow_end_accesses(const struct mpipp_call *call, uint64_t before);

// A pending operation with bytes that an access must not use.
struct mpipp_shadow_overlap {
  uint64_t serial, request; // of the operation's request
  uint64_t address, buffer; // the first of these bytes, and that of the buffer
  int writes;               // 1: MPI writes there
  uint64_t cover;           // the place that has started it
};
int mpipp_instrument_shadow_overlap(uint64_t address, uint64_t bytes, int stores,
                                    struct mpipp_shadow_overlap *met);

#endif
