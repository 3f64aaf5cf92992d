// SPDX-License-Identifier: MIT
// The data that a debugger reads first: the root of the registry, and the tables with the addresses
// and layouts of all records.
#ifndef MPIPP_REGISTRY_ROOT_H
#define MPIPP_REGISTRY_ROOT_H

#include <stdint.h>

// Atomic access to data that another thread may read or write at the same time.
#define MPIPP_READ(PLACE) __atomic_load_n(&(PLACE), __ATOMIC_ACQUIRE)
#define MPIPP_WRITE(PLACE, VALUE) __atomic_store_n(&(PLACE), VALUE, __ATOMIC_RELAXED)

#define MPIPP_NO_HANDLE (~(uint64_t)0)

// A field of a record. All fields are static data, copied to memory that core files contain.
struct mpipp_field {
  char name[24];
  uint16_t record; // index into the list of records
  uint16_t type;   // 0: unsigned, 1: signed, 2: characters, 3: nested record or records
  uint16_t of;     // for a nested record: index of its kind
  uint16_t padding;
  uint32_t offset, size; // in bytes
};

struct mpipp_enumerator {
  char enumeration[16];
  char name[32];
  int64_t value;
};

struct mpipp_procedure {
  char name[48];
};

// A constant of the standard that is not a handle, such as MPI_BOTTOM or MPI_ANY_SOURCE.
struct mpipp_constant {
  char name[32];
  int64_t value;
};

// A table of records: an array (see `entries`), or the objects of one kind (see `chunks` and
// `slots`).
struct mpipp_table {
  char name[16];
  uint32_t record;      // index into the list of records
  uint32_t record_size; // size of a record in bytes
  uint64_t entries;     // arrays: the address
  uint64_t count;    // arrays: the length; objects: number of records so far, including freed ones
  uint64_t chunks;   // objects: address of the first chunk
  uint64_t slots;    // objects: address of the hash table (linear probing); 0 while it is being
                     // replaced
  uint64_t capacity; // objects: number of slots, a power of two
  uint32_t handle_size; // objects: size of a handle in bytes
  uint32_t padding;
};

struct mpipp_chunk {
  uint64_t next;           // address of the next chunk, 0 at the end
  uint64_t used, capacity; // number of records
  uint64_t padding[5];     // up to the next cache line
  // The records follow.
};

struct mpipp_slot {
  uint64_t handle;
  uint64_t record; // address of the record; 0: never used, ends a probe; 1: removed
};

enum mpipp_status {
  MPIPP_STATUS_LOADED = 0,
  MPIPP_STATUS_STARTED,
  MPIPP_STATUS_FINALIZED,
  MPIPP_STATUS_INERT, // the library was built for another MPI library
};

// The state of a buffer for buffered sends (MPI_Buffer_attach).
enum mpipp_attachment_state {
  MPIPP_NOT_ATTACHED,
  MPIPP_ATTACHED,
  MPIPP_ATTACHED_AUTOMATIC, // attached with the address MPI_BUFFER_AUTOMATIC
  MPIPP_ATTACHED_UNKNOWN,   // unknown, because calls were not recorded
};
struct mpipp_attachment {
  uint64_t state; // enum "attachment"
  uint64_t address;
  int64_t size;    // size in bytes
  uint64_t caller; // return address of the call that attached it
  // The buffered messages since the program last could know that messages have left the buffer.
  // used: their bytes; messages: their number. Then the place of the first one, and the serial, in
  // its thread, of the call that sent the last one.
  int64_t used, messages;
  uint64_t since, last;
};

// Reasons why some buffers could not be guarded, and similar problems.
enum mpipp_hindrance {
  MPIPP_HINDERED_BY_FILE = 1,    // the program has closed the file of the guard's pages
  MPIPP_HINDERED_BY_HELD = 2,    // too many separate pieces of memory are locked or protected
  MPIPP_HINDERED_BY_WINDOWS = 4, // too many windows, or pieces of memory attached to them, exist at
                                 // once
  MPIPP_HINDERED_FORK = 8,       // there was no memory for the child's copy of the pages
};

// The state of the buffer guard.
enum mpipp_guard {
  MPIPP_GUARD_NONE, // not requested, or no buffer needed it yet
  MPIPP_GUARD_THERE,
  MPIPP_GUARD_FAILED,   // the guard could not be opened
  MPIPP_GUARD_MEMCHECK, // valgrind's memcheck guards the buffers that MPI writes
};

// The root of the registry. Readers find it by its symbol or, in a core file, by its magic bytes.
// The first 64 bytes never change between versions.
struct mpipp_registry {
  char magic[8];
  uint32_t major, minor;
  uint32_t byte_order;
  uint32_t size; // size of this record in bytes
  uint64_t self; // its own address, which distinguishes the root from a copy
  uint64_t fields;
  uint32_t field_count, field_size;
  uint64_t tables;
  uint32_t table_count, table_size;
  // Readers find the members from here on by their names.
  uint32_t pointer_size, handle_size;
  uint32_t flavor, status; // enums "flavor", "status"
  uint64_t pid;
  int32_t world_rank, world_size; // in MPI_COMM_WORLD, or mpi://WORLD; -1: unknown
  uint64_t dropped;               // number of records lost for lack of memory
  uint64_t started_at; // the time when MPI was initialized, as in mpipp_timed; 0: not yet
  uint64_t frames; // number of return addresses kept for each call beyond the caller (MPIPP_FRAMES)
  uint64_t several_threads;          // 1: several threads may call MPI at the same time
  uint64_t several_called;           // 1: more than one thread has called MPI
  uint64_t return_slot;              // bytes from a call's frame to its return address; 0: unknown
  uint64_t job;                      // distinguishes the launcher's jobs; 0: unknown
  uint64_t parent;                   // process id of the parent process at the start
  uint32_t standard, standard_minor; // the version of MPI that the library follows; 0, 0: unknown
  uint64_t main_thread; // the thread that initialized MPI, as gettid returns it; 0: unknown
  int64_t tag_ub;       // value of MPI_TAG_UB; 0: unknown
  uint64_t status_size; // size of an MPI_Status in bytes
  uint64_t kind_bits;   // the bits of a handle that show its kind (abi/vendor.h)
  uint32_t end_awaited; // 1: MPI_Finalize has not yet deleted the attribute that shows the end
                        // (intercept/finalize.c)
  uint32_t spawned; // number of processes that MPI_Comm_spawn has started in calls of this process
  uint64_t calls;   // number of calls by threads that have ended
  uint64_t ledger_bytes; // bytes of memory that the ledger uses
  uint64_t forgotten;    // number of calls for which the ledger had no capacity
  uint64_t unasked;      // number of queries for the watcher for which there was no capacity
                         // (watcher_client/queries.h)
  struct mpipp_attachment attached; // buffer of communicators that have none of their own
  uint64_t of_sessions;             // 1: a session has attached a buffer
  // Address of a record like a communicator's, which has the channels of calls without a
  // communicator; 0: none yet.
  uint64_t apart;
  // 1: there may be requests or messages without a record.
  uint64_t unseen;
  uint32_t guard; // enum "guard"
  uint32_t blind; // 1: programs compiled by mpipp cc cannot check buffers, because there is no
                  // shadow (instrumentation/in_program/)
  // Number of operations whose buffers' pages could not be protected, because the system allows no
  // more mappings.
  uint64_t crowded;
  uint64_t untold; // number of loads and stores in guarded buffers for which there was no capacity
  uint64_t hindrances; // bits of enum "hindrance": reasons why other buffers could not be guarded
  // The log of operations on windows (rma_log/log.h). onesided: address of its first page, 0 if no
  // log is kept. onesided_lost: number of entries for which there was no capacity.
  uint64_t onesided, onesided_lost;
  // Numbers of window pages, summed over all returns from MPI. onesided_pages: all pages.
  // onesided_closed: those that were protected, so that their first load and store would be logged.
  uint64_t onesided_pages, onesided_closed;
  // Number of buffers and windows whose loads and stores compiled programs do not log, because
  // there are too many, or they have too many blocks.
  uint64_t onesided_unseen;
  // 1: loads and stores to windows are traced, by page protection, or because a part of the program
  // is compiled for it.
  uint64_t onesided_looks;
  char library_version[256];
  char built_with[256];
};

#endif
