// SPDX-License-Identifier: MIT
#include "registry/registry.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/vendor.h"
#include "generated/procedures.h"

#define EXPORT __attribute__((visibility("default")))

enum mpipp_record_id {
#define RECORD(record) RECORD_##record,
#define FIELD(record, field, type)
#define NESTED(record, field, of)
#define ENUMERATOR(enumeration, value, name)
#define TABLE(name, record)
#include "registry/records.def"
#undef RECORD
#undef FIELD
#undef NESTED
#undef TABLE
};

enum { UNSIGNED, SIGNED, CHARACTERS, RECORDS };

static const struct mpipp_field fields[] = {
#define SIZE_OF(record, field) sizeof(((struct mpipp_##record *)0)->field)
#define RECORD(record)                                                                             \
  {"", RECORD_##record, RECORDS, RECORD_##record, 0, 0, sizeof(struct mpipp_##record)},
#define FIELD(record, field, type)                                                                 \
  {#field,                                                                                         \
   RECORD_##record,                                                                                \
   type,                                                                                           \
   0,                                                                                              \
   0,                                                                                              \
   offsetof(struct mpipp_##record, field),                                                         \
   SIZE_OF(record, field)},
#define NESTED(record, field, of)                                                                  \
  {#field,                                                                                         \
   RECORD_##record,                                                                                \
   RECORDS,                                                                                        \
   RECORD_##of,                                                                                    \
   0,                                                                                              \
   offsetof(struct mpipp_##record, field),                                                         \
   SIZE_OF(record, field)},
#define TABLE(name, record)
#include "registry/records.def"
#undef RECORD
#undef FIELD
#undef NESTED
#undef ENUMERATOR
#undef TABLE
};

static const struct mpipp_enumerator enumerators[] = {
#define RECORD(record)
#define FIELD(record, field, type)
#define NESTED(record, field, of)
#define ENUMERATOR(enumeration, value, name) {#enumeration, name, value},
#define TABLE(name, record)
#include "registry/records.def"
#undef ENUMERATOR
#undef TABLE
};

static const struct mpipp_table tables[] = {
#define ENUMERATOR(enumeration, value, name)
#define TABLE(table, of)                                                                           \
  {.name = #table, .record = RECORD_##of, .record_size = sizeof(struct mpipp_##of)},
#include "registry/records.def"
#undef RECORD
#undef FIELD
#undef NESTED
#undef ENUMERATOR
#undef TABLE
    {.name = "threads", .record = RECORD_thread, .record_size = sizeof(struct mpipp_thread)},
    {.name = "enumerators",
     .record = RECORD_enumerator,
     .record_size = sizeof(struct mpipp_enumerator)},
    {.name = "procedures",
     .record = RECORD_procedure,
     .record_size = sizeof(struct mpipp_procedure)},
    {.name = "constants", .record = RECORD_constant, .record_size = sizeof(struct mpipp_constant)},
    // The next tables are not arrays: other records refer to their records by address.
    {.name = "inputs", .record = RECORD_input, .record_size = sizeof(struct mpipp_input)},
    {.name = "channels", .record = RECORD_channel, .record_size = sizeof(struct mpipp_channel)},
    // An array, which grows.
    {.name = "breaches", .record = RECORD_breach, .record_size = sizeof(struct mpipp_breach)},
    {.name = "python_places",
     .record = RECORD_python_place,
     .record_size = sizeof(struct mpipp_python_place)},
    // Histories and pages. Other records refer to them by address.
    {.name = "histories", .record = RECORD_history, .record_size = sizeof(struct mpipp_history)},
    {.name = "pages", .record = RECORD_page, .record_size = sizeof(struct mpipp_page)},
    // Arrays that exist only if buffers are guarded.
    {.name = "touches", .record = RECORD_touch, .record_size = sizeof(struct mpipp_touch)},
    {.name = "covers", .record = RECORD_cover, .record_size = sizeof(struct mpipp_cover)},
    // An array that exists only if calls are perturbed.
    {.name = "provoked", .record = RECORD_provoked, .record_size = sizeof(struct mpipp_provoked)},
    // An array of the last times, in no order.
    {.name = "times", .record = RECORD_timed, .record_size = sizeof(struct mpipp_timed)},
    // An array, which grows.
    {.name = "returned_codes",
     .record = RECORD_returned,
     .record_size = sizeof(struct mpipp_returned)},
    {.name = "stack_places",
     .record = RECORD_stack_place,
     .record_size = sizeof(struct mpipp_stack_place)},
    // Past calls. Other records refer to them by address.
    {.name = "past_calls",
     .record = RECORD_past_call,
     .record_size = sizeof(struct mpipp_past_call)},
    // An array, which grows.
    {.name = "keyvals", .record = RECORD_keyvals, .record_size = sizeof(struct mpipp_keyvals)},
};

enum { COUNT_OF_TABLES = sizeof tables / sizeof *tables, MAX_CONSTANTS = 128 };

#ifdef __x86_64__
#define PAGE 4096
#else
#define PAGE 65536
#endif

// A section of its own. An address sanitizer would take the two aliases below for separate objects;
// it ignores this section.
#define TOGETHER section(".data.mpipp")

// Copies in memory that the process writes, because core files do not contain unchanged pages of
// the library's file.
static struct {
  struct mpipp_published_data begin;
  struct mpipp_field fields[sizeof fields / sizeof *fields];
  struct mpipp_enumerator enumerators[sizeof enumerators / sizeof *enumerators];
  struct mpipp_table tables[COUNT_OF_TABLES];
  struct mpipp_procedure procedures[MPIPP_PROCEDURES];
  struct mpipp_constant constants[MAX_CONSTANTS];
} __attribute__((aligned(PAGE))) copies
    __attribute__((TOGETHER)) = {.begin.root = {
                                     .magic = {'M', 'P', 'I', 'P', 'P', 'R', 'E', 'G'},
                                     .major = MPIPP_MAJOR,
                                     .minor = MPIPP_MINOR,
                                     .byte_order = MPIPP_BYTE_ORDER,
                                     .size = sizeof(struct mpipp_registry),
                                     .self = 0, // set by mpipp_registry_open, so that a copy in the
                                                // library's file is not taken for a registry
                                     .field_size = sizeof(struct mpipp_field),
                                     .table_size = sizeof(struct mpipp_table),
                                     .pointer_size = sizeof(void *),
                                     .handle_size = sizeof(MPI_Datatype),
                                     .flavor = MPIPP_FLAVOR,
                                     .several_threads = 1,
                                     .status_size = sizeof(MPI_Status),
                                     .kind_bits = MPIPP_KIND_BITS,
                                     .return_slot = MPIPP_RETURN_SLOT,
                                     .world_rank = -1,
                                     .world_size = -1,
                                     .built_with = MPIPP_BUILT_WITH,
                                 }};
extern struct mpipp_published_data mpipp_registry_published
    __attribute__((TOGETHER, alias("copies")));
EXPORT extern struct mpipp_registry mpipp_registry __attribute__((TOGETHER, alias("copies")));

static void array(struct mpipp_table *table, const void *entries, uint64_t count) {
  table->entries = (uint64_t)(uintptr_t)entries;
  table->count = count;
}

struct mpipp_table *mpipp_registry_object_tables(void) {
  return copies.tables;
}

struct mpipp_table *mpipp_registry_thread_table(void) {
  return &copies.tables[MPIPP_KINDS];
}

struct mpipp_table *mpipp_registry_breach_table(void) {
  return &copies.tables[MPIPP_KINDS + 6];
}

struct mpipp_table *mpipp_registry_python_table(void) {
  return &copies.tables[MPIPP_KINDS + 7];
}

struct mpipp_table *mpipp_registry_stack_table(void) {
  return &copies.tables[MPIPP_KINDS + 15];
}

struct mpipp_table *mpipp_registry_touch_table(void) {
  return &copies.tables[MPIPP_KINDS + 10];
}

struct mpipp_table *mpipp_registry_cover_table(void) {
  return &copies.tables[MPIPP_KINDS + 11];
}

struct mpipp_table *mpipp_registry_perturbation_table(void) {
  return &copies.tables[MPIPP_KINDS + 12];
}

struct mpipp_table *mpipp_registry_times_table(void) {
  return &copies.tables[MPIPP_KINDS + 13];
}

struct mpipp_table *mpipp_registry_returned_table(void) {
  return &copies.tables[MPIPP_KINDS + 14];
}

struct mpipp_table *mpipp_registry_keyval_table(void) {
  return &copies.tables[MPIPP_KINDS + 17];
}

void mpipp_registry_add_constant(const char *name, int64_t value) {
  struct mpipp_table *table = &copies.tables[MPIPP_KINDS + 3];
  if (table->count == MAX_CONSTANTS) return;
  struct mpipp_constant *constant = &copies.constants[table->count];
  strncpy(constant->name, name, sizeof constant->name - 1);
  constant->value = value;
  __atomic_store_n(&table->count, table->count + 1, __ATOMIC_RELEASE);
}

// A hash of the job's name, which a launcher with PMIx provides. Spawned processes belong to
// another job.
static uint64_t job(void) {
  const char *name = getenv("PMIX_NAMESPACE");
  uint64_t hash = 0;
  for (; name && *name; name++) hash = (hash ^ (unsigned char)*name) * 0x100000001B3u + 1;
  return hash;
}

void mpipp_registry_open(void) {
  if (getenv("MPIPP_WATCH"))
    mpipp_registry_is_shared =
        mpipp_registry_arena_open(&copies, sizeof copies, &copies.begin.arena);
  memcpy(copies.fields, fields, sizeof fields);
  memcpy(copies.enumerators, enumerators, sizeof enumerators);
  memcpy(copies.tables, tables, sizeof tables);
  for (int i = 0; i < MPIPP_PROCEDURES; i++)
    strncpy(copies.procedures[i].name, mpipp_procedure_names[i],
            sizeof copies.procedures[i].name - 1);
  for (int i = 0; i < MPIPP_ROLES; i++)
    strncpy(copies.begin.roles[i], mpipp_role_names[i], sizeof copies.begin.roles[i] - 1);
  for (int kind = 0; kind < MPIPP_KINDS; kind++)
    copies.tables[kind].handle_size =
        kind == MPIPP_FILE ? sizeof(MPI_File) : mpipp_registry.handle_size;
  array(&copies.tables[MPIPP_KINDS + 1], copies.enumerators,
        sizeof enumerators / sizeof *enumerators);
  array(&copies.tables[MPIPP_KINDS + 2], copies.procedures, MPIPP_PROCEDURES);
  array(&copies.tables[MPIPP_KINDS + 3], copies.constants, 0);
  const char *frames = getenv("MPIPP_FRAMES");
  if (frames) mpipp_registry.frames = strtoul(frames, NULL, 10);
  mpipp_registry.pid = (uint64_t)getpid();
  mpipp_registry.parent = (uint64_t)getppid();
  mpipp_registry.job = job();
  mpipp_registry.fields = (uint64_t)(uintptr_t)copies.fields;
  mpipp_registry.field_count = sizeof fields / sizeof *fields;
  mpipp_registry.tables = (uint64_t)(uintptr_t)copies.tables;
  mpipp_registry.table_count = COUNT_OF_TABLES;
  __atomic_store_n(&mpipp_registry.self, (uint64_t)(uintptr_t)&mpipp_registry, __ATOMIC_RELEASE);
}
