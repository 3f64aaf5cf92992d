// SPDX-License-Identifier: MIT
// The items that calls have in the ledger (ledger.h): the arguments that matter to other processes,
// as words.
#ifndef MPIPP_RECORDER_LEDGER_CALL_ITEMS_H
#define MPIPP_RECORDER_LEDGER_CALL_ITEMS_H

#include "registry/object_store.h"

// The first word of a call's item: its kind, number of words, number of buffers, and procedure.
#define MPIPP_ITEM_HEAD(WORDS, BUFFERS, PROCEDURE)                                                 \
  ((uint64_t)MPIPP_ITEM_CALL | (uint64_t)(WORDS) << 8 | (uint64_t)(BUFFERS) << 32 |                \
   (uint64_t)(PROCEDURE) << 40)
// The positions of words in a call with one buffer. There may be two more: after the third word the
// place that started a persistent operation, and at the end the number of peers.
enum {
  MPIPP_ONE_BUFFER = 6,
  MPIPP_AT_RECORD = 4,
  MPIPP_AT_COUNT = 5,
  MPIPP_MOST_WORDS = MPIPP_ONE_BUFFER + 2,
};

// Fills the words of a call with one buffer. place: where the operation is started; the call that
// created a persistent request has a place of its own. record: the record that stands for the
// buffer's datatype.
void mpipp_recorder_fill_buffer_item(uint64_t *words, const struct mpipp_call *call, uint64_t place,
                                     const struct mpipp_buffer *buffer, uint64_t record);
// Fills the words of a send or receive, and finds that record. The caller holds the lock.
void mpipp_recorder_words_locked(uint64_t *words, const struct mpipp_call *call, uint64_t place,
                                 const struct mpipp_buffer *buffer);

// The words of a collective call: in `few`, or in allocated memory if that is too small, which the
// caller frees. Returns NULL without memory. The caller holds the lock.
enum { MPIPP_FEW_WORDS = 64 };
uint64_t *mpipp_recorder_collective_item(const struct mpipp_call *call, uint64_t place,
                                         uint64_t few[MPIPP_FEW_WORDS]);

#endif
