// SPDX-License-Identifier: MIT
// The bytes of pending operations' buffers, which compiled programs look at: which they are, and
// the shadow that leads there. With the guard's lock.
#ifndef MPIPP_INSTRUMENTATION_SHADOW_MEMORY_H
#define MPIPP_INSTRUMENTATION_SHADOW_MEMORY_H

#include "buffer_guard/memory/byte_set.h"
#include "registry/guard_coverage.h"
#include "registry/records.h"

struct mpipp_shadow_range;

// The buffers of a request that a call has made; NULL where they are not known byte by byte.
struct mpipp_shadow_range *mpipp_instrument_shadow_new(const struct mpipp_request *request);
// Memory whose loads and stores are all looked at from now on, of no request; NULL: there are too
// many. The bytes are its own.
struct mpipp_shadow_range *mpipp_instrument_shadow_memory(const struct mpipp_bytes *bytes);
// That of a request, by the number of its record; NULL.
struct mpipp_shadow_range *mpipp_instrument_shadow_of(uint64_t serial);
// The operation is pending from now on, one of those of that place (NULL: of none); it is no more.
void mpipp_instrument_shadow_begin(struct mpipp_shadow_range *looked, struct mpipp_cover *cover);
void mpipp_instrument_shadow_end(struct mpipp_shadow_range *looked);
// There is no such request any more.
void mpipp_instrument_shadow_drop(struct mpipp_shadow_range *looked);
void mpipp_instrument_shadow_end_all(void);
// Those of persistent requests with a handle are no more pending.
void mpipp_instrument_shadow_end_persistent(uint64_t request);
// How many operations have begun; of those that had before a call was made the call, which has
// returned, has completed these at the origin: they are no more pending, though their requests are
// there.
extern uint64_t mpipp_instrument_shadow_begun __attribute__((visibility("hidden")));
void mpipp_instrument_shadow_end_accesses(const struct mpipp_call *call, uint64_t before);

// Whose bytes an access is not to touch.
struct mpipp_shadow_overlap {
  uint64_t serial, request; // of the operation's request
  uint64_t address, buffer; // the first of these bytes, and that of the buffer
  int writes;               // MPI does
  uint64_t cover;           // of the place that has started it
};
int mpipp_instrument_shadow_overlap(uint64_t address, uint64_t bytes, int stores,
                                    struct mpipp_shadow_overlap *met);

#endif
