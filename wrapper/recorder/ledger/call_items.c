// SPDX-License-Identifier: MIT
#include "recorder/ledger/call_items.h"

#include <string.h>

#include "abi/mpi_symbols.h"
#include "generated/facts.h"
#include "recorder/ledger/datatype_interning.h"
#include "registry/registry.h"

enum { MOST_VALUES = 64 }; // longest array that is kept; of a longer one only a hash is kept

static uint64_t *buffer_words(uint64_t *word, const struct mpipp_buffer *buffer, uint64_t record) {
  uint64_t in_place = buffer->address == (uintptr_t)MPI_IN_PLACE;
  uint64_t access = buffer->access & (MPIPP_READS | MPIPP_WRITES);
  *word++ = buffer->role | access << 56 | (uint64_t)buffer->vector << 60 | in_place << 62 |
            (uint64_t)(buffer->peers != 1) << 63;
  *word++ = record;
  *word++ = (uint64_t)buffer->count;
  if (buffer->peers != 1) *word++ = (uint64_t)buffer->peers;
  return word;
}

static void end_words(uint64_t *words, const uint64_t *end, const struct mpipp_call *call,
                      unsigned buffers) {
  words[0] = MPIPP_ITEM_HEAD(end - words, buffers, call->procedure);
}

void mpipp_recorder_fill_buffer_item(uint64_t *words, const struct mpipp_call *call, uint64_t place,
                                     const struct mpipp_buffer *buffer, uint64_t record) {
  uint64_t *word = words + 3;
  uint32_t started = call->present & (MPIPP_HAS_STARTED | MPIPP_HAS_STARTED_ALL);
  words[1] = started ? call->caller : place;
  words[2] = started;
  if (started) *word++ = place;
  end_words(words, buffer_words(word, buffer, record), call, 1);
}

void mpipp_recorder_words_locked(uint64_t *words, const struct mpipp_call *call, uint64_t place,
                                 const struct mpipp_buffer *buffer) {
  uint64_t record = mpipp_recorder_equal_datatype_locked(buffer->record, buffer->datatype);
  mpipp_recorder_fill_buffer_item(words, call, place, buffer, record);
}

static uint64_t vector_count(const struct mpipp_vector *vector, uint64_t i) {
  const void *counts = (const void *)(uintptr_t)vector->counts;
  if (vector->count_size == sizeof(int)) return (uint64_t)((const int *)counts)[i];
  return ((const uint64_t *)counts)[i];
}

static uint64_t *vector_words(uint64_t *word, const struct mpipp_vector *vector) {
  const MPI_Datatype *datatypes = (const MPI_Datatype *)(uintptr_t)vector->datatypes;
  *word++ = vector->length << 1 | (datatypes != NULL);
  for (uint64_t i = 0; i < vector->length; i++) *word++ = vector_count(vector, i);
  for (uint64_t i = 0; datatypes && i < vector->length; i++) {
    uint64_t handle = MPIPP_KEY(datatypes[i]);
    uint64_t record = (uint64_t)(uintptr_t)mpipp_find(MPIPP_DATATYPE, handle);
    *word++ = mpipp_recorder_equal_datatype_locked(record, handle);
  }
  return word;
}

static int used_vectors(const struct mpipp_call *call) {
  int used = (call->present & MPIPP_HAS_COUNTS) != 0;
  for (uint32_t i = 0; i < call->buffer_count; i++) {
    if ((int)call->buffers[i].vector > used) used = (int)call->buffers[i].vector;
  }
  return used;
}

// The identity of a reduction operation: the handle of a predefined one, the function of the
// program's own. The highest bits mark the program's own, and a commutative one. Returns 0 if it is
// unknown.
static uint64_t operation(uint64_t handle) {
  const uint64_t own = (uint64_t)1 << 63, commutative = (uint64_t)1 << 62;
  if (mpipp_registry_is_constant(MPIPP_OP, handle)) return handle;
  const struct mpipp_op *op = mpipp_find_live(MPIPP_OP, handle);
  return op ? own | (op->commute ? commutative : 0) | (op->function & (commutative - 1)) : 0;
}

// Returns whether the call's named arguments are kept: for procedures in which all processes must
// agree in some of them.
static int keeps_arguments(const struct mpipp_call *call) {
  return (call->present & MPIPP_HAS_ARGUMENTS) && mpipp_facts[call->procedure].agree;
}

static uint64_t value_of(const struct mpipp_input *input, uint64_t i) {
  const void *values = input->values;
  if (input->size == 1) return ((const unsigned char *)values)[i];
  if (input->size == sizeof(int32_t)) return (uint64_t)((const int32_t *)values)[i];
  return ((const uint64_t *)values)[i];
}

// A hash of the members of a group, if this process belongs to it, with the number of members in
// the lowest 24 bits. Returns 0 for any other group.
static uint64_t members_hash(uint64_t handle) {
  const struct mpipp_group *group = mpipp_find_live(MPIPP_GROUP, handle);
  if (!group || group->rank < 0 || !(group->world_ranks || group->world_known)) return 0;
  const int32_t *ranks = (const int32_t *)(uintptr_t)group->world_ranks;
  uint64_t hash = (uint64_t)group->size;
  for (int32_t i = 0; i < group->size; i++)
    hash = (hash ^ (uint64_t)(ranks ? ranks[i] : i)) * 0xBF58476D1CE4E5B9u + 1;
  return hash << 24 | ((uint64_t)group->size & 0xFFFFFF);
}

// The length of an array that has no length argument, computed from the other arguments. Returns 0
// if the array is not kept.
static uint64_t implied_count(const struct mpipp_call *call, const struct mpipp_input *input) {
  if (input->shape == MPIPP_SHAPE_TEXT) return strlen(input->values);
  if (call->procedure != MPIPP_PROC_Graph_create) return 0;
  const struct mpipp_input *index = input - 1; // the argument before `edges` is `index`
  return index->count > 0 ? value_of(index, (uint64_t)index->count - 1) : 0;
}

// Writes an argument: its name, the number of its values, and the values. If only a length and a
// hash are kept, 2^32 is added to the number. For a null pointer, or no values, the number is 2^33.
static uint64_t *input_words(uint64_t *word, const struct mpipp_call *call,
                             const struct mpipp_input *input) {
  const uint64_t hashed = (uint64_t)1 << 32, none = (uint64_t)1 << 33;
  *word++ = input->name;
  if (!input->values) {
    *word++ = none;
    return word;
  }
  if (input->shape == MPIPP_SHAPE_HANDLE) {
    *word++ = 1 | (uint64_t)input->shape << 40;
    *word++ = input->name == mpipp_role(MPIPP_ROLE_group) ? members_hash(value_of(input, 0)) : 0;
    return word;
  }
  uint64_t count = input->count < 0 ? implied_count(call, input) : (uint64_t)input->count;
  if (count <= MOST_VALUES) {
    *word++ = count | (uint64_t)input->shape << 40;
    for (uint64_t i = 0; i < count; i++) *word++ = value_of(input, i);
    return word;
  }
  uint64_t hash = 0;
  for (uint64_t i = 0; i < count; i++) hash = (hash ^ value_of(input, i)) * 0xBF58476D1CE4E5B9u + i;
  *word++ = 2 | hashed | (uint64_t)input->shape << 40;
  *word++ = count;
  *word++ = hash;
  return word;
}

static uint64_t *argument_words(uint64_t *word, const struct mpipp_call *call) {
  const struct mpipp_input *inputs = (const void *)(uintptr_t)call->inputs;
  *word++ = call->input_count;
  for (uint32_t i = 0; i < call->input_count; i++) word = input_words(word, call, &inputs[i]);
  return word;
}

static uint64_t word_limit(const struct mpipp_call *call, int vectors) {
  uint64_t most = 7 + 4 * (uint64_t)call->buffer_count;
  for (int v = 0; v < vectors; v++) most += 1 + 2 * call->vectors[v].length;
  if (keeps_arguments(call)) most += 1 + call->input_count * (uint64_t)(2 + MOST_VALUES);
  return most;
}

static void collective_words(uint64_t *words, const struct mpipp_call *call, uint64_t place,
                             int vectors) {
  const uint32_t kept =
      MPIPP_HAS_ROOT | MPIPP_HAS_OP | MPIPP_HAS_TAG | MPIPP_HAS_COUNTS | MPIPP_HAS_ERRORCODE;
  const uint32_t arguments = keeps_arguments(call) ? MPIPP_HAS_ARGUMENTS : 0;
  uint64_t *word = words + 3;
  words[1] = place;
  words[2] = (call->present & kept) | arguments | (uint64_t)vectors << 32;
  if (call->present & MPIPP_HAS_ROOT) *word++ = (uint64_t)call->root;
  if (call->present & MPIPP_HAS_OP) *word++ = operation(call->op);
  if (call->present & MPIPP_HAS_TAG) *word++ = (uint64_t)call->tag;
  if (call->present & MPIPP_HAS_ERRORCODE) *word++ = (uint64_t)call->errorcode;
  for (uint32_t i = 0; i < call->buffer_count; i++) {
    const struct mpipp_buffer *buffer = &call->buffers[i];
    word = buffer_words(word, buffer,
                        mpipp_recorder_equal_datatype_locked(buffer->record, buffer->datatype));
  }
  for (int v = 0; v < vectors; v++) word = vector_words(word, &call->vectors[v]);
  if (arguments) word = argument_words(word, call);
  end_words(words, word, call, call->buffer_count);
}

uint64_t *mpipp_recorder_collective_item(const struct mpipp_call *call, uint64_t place,
                                         uint64_t few[MPIPP_FEW_WORDS]) {
  int vectors = call->present & MPIPP_HAS_VECTORS ? used_vectors(call) : 0;
  uint64_t most = word_limit(call, vectors), *words = few;
  if (most > MPIPP_FEW_WORDS)
    words = most < 1 << 24 ? mpipp_registry_allocate(most * sizeof *words) : NULL;
  if (words) collective_words(words, call, place, vectors);
  return words;
}
