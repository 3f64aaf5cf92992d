// SPDX-License-Identifier: MIT
// The bytes of pending operations' buffers, which compiled programs check: the set of bytes, and
// the shadow that marks them. The caller holds the guard's lock.
#ifndef MPIPP_INSTRUMENTATION_SHADOW_MEMORY_H
#define MPIPP_INSTRUMENTATION_SHADOW_MEMORY_H

#include "buffer_guard/memory/byte_set.h"
#include "registry/guard_coverage.h"
#include "registry/records.h"

struct mpipp_shadow_range;

// Creates an entry for the buffers of a new request. Returns NULL if their bytes are not known
// exactly.
struct mpipp_shadow_range *mpipp_instrument_shadow_new(const struct mpipp_request *request);
// Creates an entry without a request: all loads and stores to these bytes are recorded from now on.
// Takes over the bytes. Returns NULL if there are too many.
struct mpipp_shadow_range *mpipp_instrument_shadow_memory(const struct mpipp_bytes *bytes);
// The entry of a request, by the serial of its record; NULL if there is none.
struct mpipp_shadow_range *mpipp_instrument_shadow_of(uint64_t serial);
// mpipp_instrument_shadow_begin: the operation becomes pending. cover: the place that started it,
// or NULL. mpipp_instrument_shadow_end: it is no longer pending.
void mpipp_instrument_shadow_begin(struct mpipp_shadow_range *looked, struct mpipp_cover *cover);
void mpipp_instrument_shadow_end(struct mpipp_shadow_range *looked);
// Frees the entry of a request that no longer exists.
void mpipp_instrument_shadow_drop(struct mpipp_shadow_range *looked);
void mpipp_instrument_shadow_end_all(void);
// Notes that persistent requests with that handle are no longer pending.
void mpipp_instrument_shadow_end_persistent(uint64_t request);
// The number of operations that have begun. mpipp_instrument_shadow_end_accesses is called after a
// call has returned that completes one-sided operations at the origin. The function ends those of
// the first `before` operations that the call completes. Their requests may still exist.
extern uint64_t mpipp_instrument_shadow_begun_count __attribute__((visibility("hidden")));
void mpipp_instrument_shadow_end_accesses(const struct mpipp_call *call, uint64_t before);

// A pending operation whose buffer an access must not use.
struct mpipp_shadow_overlap {
  uint64_t serial, request; // serial and handle of the operation's request
  uint64_t address, buffer; // address: the first of these bytes; buffer: start of the operation's
                            // buffer
  int writes;               // 1: MPI writes there
  uint64_t cover;           // the place in the program that started the operation
};
int mpipp_instrument_shadow_overlap(uint64_t address, uint64_t bytes, int stores,
                                    struct mpipp_shadow_overlap *met);

#endif
