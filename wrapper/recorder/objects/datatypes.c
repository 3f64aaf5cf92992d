// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "abi/mpi_symbols.h"
#include "recorder/objects/datatypes.h"
#include "registry/registry.h"

// The extents as the library itself reports them. mpipp compares its own results with these.
static void ask_extents(struct mpipp_datatype *record, MPI_Datatype datatype) {
  MPI_Count size = 0, lb = 0, extent = 0, true_lb = 0, true_extent = 0;
#ifdef MPIPP_HAVE_Type_size_x
  PMPI(Type_size_x)(datatype, &size);
  PMPI(Type_get_extent_x)(datatype, &lb, &extent);
  PMPI(Type_get_true_extent_x)(datatype, &true_lb, &true_extent);
#else
  PMPI(Type_size_c)(datatype, &size);
  PMPI(Type_get_extent_c)(datatype, &lb, &extent);
  PMPI(Type_get_true_extent_c)(datatype, &true_lb, &true_extent);
#endif
  record->size = size;
  record->lb = lb;
  record->extent = extent;
  record->true_lb = true_lb;
  record->true_extent = true_extent;
  record->object.fint = MPIPP_FINT(Type, datatype);
}

static int64_t integer(const void *values, int64_t index, unsigned size) {
  if (size == sizeof(int)) return ((const int *)values)[index];
  return ((const int64_t *)values)[index];
}

static int64_t *room(uint64_t *field, int64_t *inside, int64_t inside_count, int64_t count) {
  int64_t *values = inside;
  if (count > inside_count) values = mpipp_registry_allocate((size_t)count * sizeof *values);
  *field = (uint64_t)(uintptr_t)values;
  return values;
}

static int own_order(int64_t order) {
  return order == MPI_ORDER_FORTRAN ? MPIPP_ORDER_FORTRAN : MPIPP_ORDER_C;
}

static int own_distribution(int64_t distribution) {
  if (distribution == MPI_DISTRIBUTE_BLOCK) return MPIPP_DISTRIBUTE_BLOCK;
  if (distribution == MPI_DISTRIBUTE_CYCLIC) return MPIPP_DISTRIBUTE_CYCLIC;
  return MPIPP_DISTRIBUTE_NONE;
}

// Replaces the library's values of constants in the arguments by mpipp's numbers, which are equal
// for all libraries.
static void normalise(enum mpipp_combiner combiner, int64_t *arguments, int64_t count) {
  if (combiner == MPIPP_COMBINER_SUBARRAY) {
    arguments[count - 1] = own_order(arguments[count - 1]);
  } else if (combiner == MPIPP_COMBINER_DARRAY) {
    int64_t ndims = arguments[2], *distribs = arguments + 3 + ndims, *dargs = distribs + ndims;
    for (int64_t i = 0; i < ndims; i++) {
      distribs[i] = own_distribution(distribs[i]);
      if (dargs[i] == MPI_DISTRIBUTE_DFLT_DARG) dargs[i] = MPIPP_DISTRIBUTE_DFLT_DARG;
    }
    arguments[count - 1] = own_order(arguments[count - 1]);
  }
}

static int fill_arguments(struct mpipp_datatype *record, const struct mpipp_input *inputs) {
  int64_t count = 0;
  for (const struct mpipp_input *input = inputs; input->values; input++) {
    if (input->count > 0) count += input->count;
  }
  int64_t *values =
      room(&record->arguments, record->inline_arguments, MPIPP_INLINE_ARGUMENTS, count);
  if (!values) return 0;
  record->argument_count = (uint64_t)count;
  for (const struct mpipp_input *input = inputs; input->values; input++) {
    for (int64_t i = 0; i < input->count; i++) *values++ = integer(input->values, i, input->size);
  }
  normalise(record->combiner, (int64_t *)(uintptr_t)record->arguments, count);
  return 1;
}

// The record of a component. The record may be of a freed datatype, if another thread has freed the
// component meanwhile.
static uint64_t component_record(uint64_t caller, MPI_Datatype datatype) {
  uint64_t handle = MPIPP_KEY(datatype);
  if (!mpipp_find_live(MPIPP_DATATYPE, handle)) mpipp_recorder_import_datatype(caller, datatype);
  return (uint64_t)(uintptr_t)mpipp_find(MPIPP_DATATYPE, handle);
}

static void fill_components(struct mpipp_datatype *record, const MPI_Datatype *components,
                            int64_t count) {
  int64_t *values = room(&record->components, (int64_t *)&record->inline_component, 1, count);
  if (!values) return;
  for (int64_t i = 0; i < count; i++) {
    values[i] = (int64_t)component_record(record->object.caller, components[i]);
    int locked = mpipp_lock_kind(MPIPP_DATATYPE);
    if (!mpipp_registry_refer_locked((uint64_t)values[i], MPIPP_KEY(components[i]))) values[i] = 0;
    mpipp_unlock_kind(locked);
  }
  record->component_count = (uint32_t)count;
}

static int same_arguments(const struct mpipp_datatype *record, const struct mpipp_input *inputs) {
  const int64_t *values = (const int64_t *)(uintptr_t)record->arguments;
  const int64_t *end = values + record->argument_count;
  for (const struct mpipp_input *input = inputs; input->values; input++) {
    if (input->count > end - values) return 0;
    // The most frequent case, in fewer instructions.
    if (input->count == 1 && input->size == sizeof(int)) {
      if (*values++ != *(const int *)input->values) return 0;
      continue;
    }
    for (int64_t i = 0; i < input->count; i++, values++) {
      if (*values != integer(input->values, i, input->size)) return 0;
    }
  }
  return values == end;
}

static int same_components(const struct mpipp_datatype *record, const MPI_Datatype *components,
                           int64_t count) {
  if (record->component_count != count) return 0;
  const uint64_t *values = (const uint64_t *)(uintptr_t)record->components;
  for (int64_t i = 0; i < count; i++) {
    // The record refers to its components, so until a component's record is freed, its handle leads
    // to it.
    const struct mpipp_object *old = (const struct mpipp_object *)(uintptr_t)values[i];
    if (!old || old->handle != MPIPP_KEY(components[i]) ||
        MPIPP_READ(old->flags) & MPIPP_FLAG_ENDED)
      return 0;
  }
  return 1;
}

// Returns whether the recorded arguments are those of the constructor, and determine the datatype.
static int is_plain(enum mpipp_combiner combiner) {
  return combiner != MPIPP_COMBINER_DUP && combiner != MPIPP_COMBINER_SUBARRAY &&
         combiner != MPIPP_COMBINER_DARRAY && combiner < MPIPP_COMBINER_F90_REAL;
}

// Returns whether a freed record also describes the new datatype: it has the same handle,
// constructor and components. Loops often create and free equal datatypes.
static int is_same(const struct mpipp_datatype *record, enum mpipp_combiner combiner,
                   uint32_t large, const struct mpipp_input *inputs, const MPI_Datatype *components,
                   int64_t count) {
  const struct mpipp_object *object = &record->object;
  uint32_t flags = MPIPP_READ(object->flags) & ~(uint32_t)MPIPP_FLAG_COMMITTED;
  return flags == (MPIPP_FLAG_ENDED | large) && !MPIPP_READ(object->references) && !object->name &&
         !object->frames && record->combiner == combiner && is_plain(combiner) &&
         same_arguments(record, inputs) && same_components(record, components, count);
}

// The library's extents are unchanged. Only the Fortran INTEGER may differ.
static int reuse_record(uint64_t caller, enum mpipp_combiner combiner, uint32_t large,
                        MPI_Datatype made, const struct mpipp_input *inputs,
                        const MPI_Datatype *components, int64_t count) {
  int locked = mpipp_lock_kind(MPIPP_DATATYPE);
  struct mpipp_datatype *record = mpipp_find(MPIPP_DATATYPE, MPIPP_KEY(made));
  int same = record && is_same(record, combiner, large, inputs, components, count);
  if (same) {
    __atomic_store_n(&record->object.serial, 0, __ATOMIC_RELEASE);
    MPIPP_WRITE(record->object.flags, large);
    record->object.caller = caller;
  }
  mpipp_unlock_kind(locked);
  if (!same) return 0;
  record->object.fint = MPIPP_FINT(Type, made);
  mpipp_registry_publish(record);
  return 1;
}

static __attribute__((noinline)) void
make(uint64_t caller, enum mpipp_combiner combiner, uint32_t large, MPI_Datatype made,
     const struct mpipp_input *inputs, const MPI_Datatype *components, int64_t component_count) {
  int saved = errno;
  // Parameterised Fortran types and pairs are predefined: the library returns the same handle each
  // time. Datatypes whose handle is already recorded with a name are known, too, such as
  // MPI_DATATYPE_NULL and MPI_DOUBLE_INT.
  int lasting = combiner >= MPIPP_COMBINER_F90_REAL;
  if (lasting && mpipp_find_live(MPIPP_DATATYPE, MPIPP_KEY(made))) return;
  struct mpipp_datatype *record = mpipp_registry_claim(MPIPP_DATATYPE, MPIPP_KEY(made), caller);
  if (!record) return;
  record->combiner = combiner;
  if (large) mpipp_mark(&record->object, large);
  if (lasting) mpipp_mark(&record->object, MPIPP_FLAG_PREDEFINED | MPIPP_FLAG_COMMITTED);
  ask_extents(record, made);
  // Without memory the record is kept, but without the arguments or components that had no space.
  if (fill_arguments(record, inputs)) fill_components(record, components, component_count);
  if (combiner == MPIPP_COMBINER_DUP && record->inline_component) {
    // MPI-4.1, section 5.1.10: a duplicate has the same committed state as the old datatype.
    struct mpipp_datatype *old = (struct mpipp_datatype *)(uintptr_t)record->inline_component;
    mpipp_mark(&record->object, MPIPP_READ(old->object.flags) & MPIPP_FLAG_COMMITTED);
  }
  mpipp_registry_publish(record);
  errno = saved;
}

int64_t mpipp_recorder_extent(uint64_t handle) {
  const struct mpipp_datatype *found = mpipp_find_live(MPIPP_DATATYPE, handle);
  return found ? found->extent : INT64_MIN;
}

void mpipp_recorder_add_datatype(const struct mpipp_call *call, enum mpipp_combiner combiner,
                                 int large, MPI_Datatype made, const struct mpipp_input *inputs,
                                 const MPI_Datatype *components, int64_t component_count) {
  uint64_t caller = mpipp_outside_mpi(call->caller);
  uint32_t flag = large ? MPIPP_FLAG_LARGE : 0;
  if (!reuse_record(caller, combiner, flag, made, inputs, components, component_count))
    make(caller, combiner, flag, made, inputs, components, component_count);
}

void mpipp_recorder_add_predefined_datatype(MPI_Datatype datatype, const char *name) {
  uint64_t handle = MPIPP_KEY(datatype);
  if (handle == 0 || datatype == MPI_DATATYPE_NULL || mpipp_find(MPIPP_DATATYPE, handle)) return;
  struct mpipp_datatype *record = mpipp_registry_claim(MPIPP_DATATYPE, handle, 0);
  if (!record) return;
  record->combiner = MPIPP_COMBINER_NAMED;
  mpipp_mark(&record->object, MPIPP_FLAG_PREDEFINED | MPIPP_FLAG_COMMITTED);
  record->object.name = mpipp_registry_copy_text(name);
  ask_extents(record, datatype);
  mpipp_registry_publish(record);
}

void mpipp_recorder_commit_datatype(uint64_t handle) {
  struct mpipp_datatype *record = mpipp_find_live(MPIPP_DATATYPE, handle);
  if (record) mpipp_mark(&record->object, MPIPP_FLAG_COMMITTED);
}

static int own_combiner(int combiner) {
  static const struct {
    int theirs, ours;
  } table[] = {
      {MPI_COMBINER_DUP, MPIPP_COMBINER_DUP},
      {MPI_COMBINER_CONTIGUOUS, MPIPP_COMBINER_CONTIGUOUS},
      {MPI_COMBINER_VECTOR, MPIPP_COMBINER_VECTOR},
      {MPI_COMBINER_HVECTOR, MPIPP_COMBINER_HVECTOR},
      {MPI_COMBINER_INDEXED, MPIPP_COMBINER_INDEXED},
      {MPI_COMBINER_HINDEXED, MPIPP_COMBINER_HINDEXED},
      {MPI_COMBINER_INDEXED_BLOCK, MPIPP_COMBINER_INDEXED_BLOCK},
      {MPI_COMBINER_HINDEXED_BLOCK, MPIPP_COMBINER_HINDEXED_BLOCK},
      {MPI_COMBINER_STRUCT, MPIPP_COMBINER_STRUCT},
      {MPI_COMBINER_SUBARRAY, MPIPP_COMBINER_SUBARRAY},
      {MPI_COMBINER_DARRAY, MPIPP_COMBINER_DARRAY},
      {MPI_COMBINER_RESIZED, MPIPP_COMBINER_RESIZED},
      {MPI_COMBINER_F90_REAL, MPIPP_COMBINER_F90_REAL},
      {MPI_COMBINER_F90_COMPLEX, MPIPP_COMBINER_F90_COMPLEX},
      {MPI_COMBINER_F90_INTEGER, MPIPP_COMBINER_F90_INTEGER},
#ifdef MPIPP_HAVE_Type_get_value_index // MPI-4.1 introduced this combiner
      {MPI_COMBINER_VALUE_INDEX, MPIPP_COMBINER_VALUE_INDEX},
#endif
  };
  for (unsigned i = 0; i < sizeof table / sizeof *table; i++) {
    if (table[i].theirs == combiner) return table[i].ours;
  }
  return MPIPP_COMBINER_NAMED;
}

// A datatype's contents as MPI_Type_get_contents returns them: integers, addresses and large
// counts. In this order they are the constructor's arguments, except for the two constructors
// below.
struct mpipp_contents {
  int combiner;
  int64_t integers, addresses, counts, datatypes;
  int *integer;
  MPI_Aint *address;
  MPI_Count *count;
  MPI_Datatype *datatype;
};

static void contents_deinit(struct mpipp_contents *contents) {
  mpipp_registry_free(contents->integer);
  mpipp_registry_free(contents->address);
  mpipp_registry_free(contents->count);
  mpipp_registry_free(contents->datatype);
}

static int allocate_contents(struct mpipp_contents *c) {
  c->integer = mpipp_registry_allocate((size_t)(c->integers + 1) * sizeof *c->integer);
  c->address = mpipp_registry_allocate((size_t)(c->addresses + 1) * sizeof *c->address);
  c->count = mpipp_registry_allocate((size_t)(c->counts + 1) * sizeof *c->count);
  c->datatype = mpipp_registry_allocate((size_t)(c->datatypes + 1) * sizeof *c->datatype);
  return c->integer && c->address && c->count && c->datatype;
}

static int envelope(MPI_Datatype datatype, struct mpipp_contents *c) {
#ifdef MPIPP_HAVE_Type_get_envelope_c
  if (mpipp_abi_has(MPIPP_PROC_Type_get_envelope_c)) {
    MPI_Count n[4];
    if (PMPI(Type_get_envelope_c)(datatype, &n[0], &n[1], &n[2], &n[3], &c->combiner)) return 0;
    c->integers = n[0], c->addresses = n[1], c->counts = n[2], c->datatypes = n[3];
    return 1;
  }
#endif
  int n[3];
  if (PMPI(Type_get_envelope)(datatype, &n[0], &n[1], &n[2], &c->combiner)) return 0;
  c->integers = n[0], c->addresses = n[1], c->counts = 0, c->datatypes = n[2];
  return 1;
}

static int contents_of(MPI_Datatype datatype, struct mpipp_contents *c) {
#ifdef MPIPP_HAVE_Type_get_contents_c
  if (c->counts > 0)
    return !PMPI(Type_get_contents_c)(datatype, c->integers, c->addresses, c->counts, c->datatypes,
                                      c->integer, c->address, c->count, c->datatype);
#endif
  return !PMPI(Type_get_contents)(datatype, (int)c->integers, (int)c->addresses, (int)c->datatypes,
                                  c->integer, c->address, c->datatype);
}

// Imports a datatype whose handle MPI has returned, so that it certainly exists, even if another
// datatype had the handle before.
static void import_returned(uint64_t caller, MPI_Datatype datatype) {
  if (!mpipp_registry_may_ask(MPIPP_DATATYPE, MPIPP_KEY(datatype)))
    mpipp_registry_note_new_handle(MPIPP_DATATYPE, MPIPP_KEY(datatype));
  mpipp_recorder_import_datatype(caller, datatype);
}

// MPI_Type_get_contents returns new handles, except for predefined datatypes: frees them.
static void give_back(MPI_Datatype *taken) {
  struct mpipp_contents contents = {0};
  if (!envelope(*taken, &contents) || contents.combiner == MPI_COMBINER_NAMED ||
      own_combiner(contents.combiner) >= MPIPP_COMBINER_F90_REAL)
    return;
  uint64_t handle = MPIPP_KEY(*taken), serial = mpipp_registry_serial_of(MPIPP_DATATYPE, handle);
  PMPI(Type_free)(taken);
  if (MPIPP_CONTENTS_ARE_COPIES) mpipp_registry_note_free(MPIPP_DATATYPE, handle, serial, 0);
}

static void import_derived(uint64_t caller, MPI_Datatype datatype, struct mpipp_contents *c) {
  int own = own_combiner(c->combiner);
  struct mpipp_input inputs[5] = {{c->integer, c->integers, sizeof(int), 0, 0},
                                  {c->address, c->addresses, sizeof(MPI_Aint), 0, 0},
                                  {c->count, c->counts, sizeof(MPI_Count), 0, 0}};
  if (c->counts > 0 && own == MPIPP_COMBINER_SUBARRAY) {
    // The integers are ndims and order; the large counts are sizes, subsizes and starts.
    inputs[0].count = 1;
    inputs[3] = (struct mpipp_input){c->integer + 1, 1, sizeof(int), 0, 0};
  } else if (c->counts > 0 && own == MPIPP_COMBINER_DARRAY) {
    // The integers are size, rank, ndims, distribs, dargs, psizes and order; the large counts are
    // gsizes.
    inputs[0].count = 3;
    inputs[3] = (struct mpipp_input){c->integer + 3, c->integers - 3, sizeof(int), 0, 0};
  }
  struct mpipp_call call = {.caller = caller};
  for (int64_t i = 0; i < c->datatypes; i++) import_returned(caller, c->datatype[i]);
  mpipp_recorder_add_datatype(&call, own, c->counts > 0, datatype, inputs, c->datatype,
                              c->datatypes);
  struct mpipp_datatype *record = mpipp_find_live(MPIPP_DATATYPE, MPIPP_KEY(datatype));
  // MPI has no query whether a datatype is committed. But MPI has just accepted it in a call, so it
  // is.
  if (record) mpipp_mark(&record->object, MPIPP_FLAG_IMPORTED | MPIPP_FLAG_COMMITTED);
  for (int64_t i = 0; i < c->datatypes; i++) give_back(&c->datatype[i]);
}

// Returns whether an unrecorded or freed handle certainly belongs to a datatype, judged by the
// memory that it points to. MPI must not be asked: with an invalid handle, MPI_Type_get_envelope
// would call an error handler, or read any memory. So with most libraries the answer is 0 until
// they have accepted the handle in a call.
static int is_certain(MPI_Datatype datatype) {
#ifdef MPIPP_DATATYPE_CLASS
  struct {
    const void *class;
    int32_t references;
  } object = {NULL, 0};
  struct iovec own = {&object, sizeof object}, other = {datatype, sizeof object};
  return process_vm_readv(getpid(), &own, 1, &other, 1, 0) == sizeof object && object.class &&
         object.class == MPIPP_DATATYPE_CLASS && object.references > 0;
#else
  (void)datatype;
  return 0;
#endif
}

static MPI_Errhandler set_handler_aside(MPI_Comm comm) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  PMPI(Comm_get_errhandler)(comm, &handler);
  PMPI(Comm_set_errhandler)(comm, MPI_ERRORS_RETURN);
  return handler;
}

static void put_handler_back(MPI_Comm comm, MPI_Errhandler handler) {
  PMPI(Comm_set_errhandler)(comm, handler);
  if (!mpipp_registry_is_constant(MPIPP_ERRHANDLER, MPIPP_KEY(handler)))
    PMPI(Errhandler_free)(&handler);
}

// The envelope of a freed handle that certainly belongs to another datatype now. The other datatype
// may be one that the library itself created, with a constructor that MPI_Type_get_envelope of Open
// MPI rejects. So the error handlers that MPI calls for errors without a communicator are replaced
// meanwhile. An error of another thread still reaches the program's handlers.
static int envelope_of_freed_handle(MPI_Datatype datatype, struct mpipp_contents *c) {
  int started = 0;
  PMPI(Initialized)(&started); // without MPI_COMM_WORLD there are no such error handlers
  if (!started || MPIPP_READ(mpipp_registry_several_threads)) return envelope(datatype, c);
  MPI_Errhandler world = set_handler_aside(MPI_COMM_WORLD), self = set_handler_aside(MPI_COMM_SELF);
  int found = envelope(datatype, c);
  put_handler_back(MPI_COMM_SELF, self);
  put_handler_back(MPI_COMM_WORLD, world);
  return found;
}

void mpipp_recorder_import_datatype(uint64_t caller, MPI_Datatype datatype) {
  if (datatype == MPI_DATATYPE_NULL || mpipp_find_live(MPIPP_DATATYPE, MPIPP_KEY(datatype))) return;
  int saved = errno, freed = !mpipp_registry_may_ask(MPIPP_DATATYPE, MPIPP_KEY(datatype));
  struct mpipp_contents contents = {0};
  int found = 0;
  if (!freed)
    found = envelope(datatype, &contents);
  else if (is_certain(datatype))
    found = envelope_of_freed_handle(datatype, &contents);
  if (found) {
    if (contents.combiner == MPI_COMBINER_NAMED) {
      char name[MPI_MAX_OBJECT_NAME] = "";
      int length;
      PMPI(Type_get_name)(datatype, name, &length);
      mpipp_recorder_add_predefined_datatype(datatype, name);
    } else if (allocate_contents(&contents) && contents_of(datatype, &contents)) {
      import_derived(caller, datatype, &contents);
    }
    contents_deinit(&contents);
  }
  errno = saved;
}

void mpipp_recorder_import_contents(const struct mpipp_call *call, MPI_Datatype datatype,
                                    const MPI_Datatype *taken) {
  struct mpipp_contents contents = {0};
  if (!mpipp_registry_may_ask(MPIPP_DATATYPE, MPIPP_KEY(datatype)) ||
      !envelope(datatype, &contents))
    return;
  for (int64_t i = 0; i < contents.datatypes; i++) {
    if (!mpipp_registry_add_handle(MPIPP_DATATYPE, MPIPP_KEY(taken[i])))
      import_returned(call->caller, taken[i]);
  }
}

void mpipp_recorder_import_view(const struct mpipp_call *call, MPI_Datatype etype,
                                MPI_Datatype filetype) {
  import_returned(call->caller, etype);
  import_returned(call->caller, filetype);
}

static void import_handles(struct mpipp_call *call, const struct mpipp_vector *vector) {
  const MPI_Datatype *datatypes = (const MPI_Datatype *)(uintptr_t)vector->datatypes;
  for (uint64_t i = 0; i < vector->length; i++) {
    mpipp_recorder_import_datatype(call->caller, datatypes[i]); // does nothing if it is recorded
  }
}

// Records a datatype that has no record yet, before MPI has checked it, if it certainly exists.
static void import_certain(const struct mpipp_call *call, MPI_Datatype datatype) {
  if (!mpipp_find_live(MPIPP_DATATYPE, MPIPP_KEY(datatype)) && is_certain(datatype))
    mpipp_recorder_import_datatype(call->caller, datatype);
}

void mpipp_recorder_import_certain(struct mpipp_call *call) {
  if (mpipp_registry.status != MPIPP_STATUS_STARTED) return;
  for (uint32_t i = 0; i < call->buffer_count; i++) {
    struct mpipp_buffer *buffer = &call->buffers[i];
    const struct mpipp_vector *vector = &call->vectors[buffer->vector ? buffer->vector - 1 : 0];
    const MPI_Datatype *each = (const MPI_Datatype *)(uintptr_t)vector->datatypes;
    if (!mpipp_is_unknown(buffer->record) || buffer->address == (uintptr_t)MPI_IN_PLACE) continue;
    if (buffer->vector && each) {
      for (uint64_t k = 0; k < vector->length; k++) import_certain(call, each[k]);
    } else if (buffer->datatype) {
      import_certain(call, (MPI_Datatype)(uintptr_t)buffer->datatype);
      const struct mpipp_object *now = mpipp_find_live(MPIPP_DATATYPE, buffer->datatype);
      if (!now) continue;
      buffer->record = (uint64_t)(uintptr_t)now;
      buffer->access &= ~(uint32_t)MPIPP_STALE;
    }
  }
}

void mpipp_recorder_import_datatypes(struct mpipp_call *call) {
  for (uint32_t i = 0; i < call->buffer_count; i++) {
    struct mpipp_buffer *buffer = &call->buffers[i];
    if (!mpipp_is_unknown(buffer->record) || buffer->address == (uintptr_t)MPI_IN_PLACE) continue;
    if (buffer->vector && call->vectors[buffer->vector - 1].datatypes) {
      import_handles(call, &call->vectors[buffer->vector - 1]);
    } else if (buffer->datatype) {
      mpipp_recorder_import_datatype(call->caller, (MPI_Datatype)(uintptr_t)buffer->datatype);
      buffer->record = (uintptr_t)mpipp_find(MPIPP_DATATYPE, buffer->datatype);
    }
  }
}
