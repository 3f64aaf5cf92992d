// SPDX-License-Identifier: MIT
// The data that a debugger reads first: the root, and the tables with the addresses and the layouts
// of the records.
#ifndef MPIPP_REGISTRY_ROOT_H
#define MPIPP_REGISTRY_ROOT_H

#include <stdint.h>

// Static data, copied to memory that core files hold.
struct mpipp_field {
  char name[24];
  uint16_t record; // index into the list of records
  uint16_t type;   // 0 unsigned, 1 signed, 2 characters, 3 nested record(s)
  uint16_t of;     // nested: which record
  uint16_t padding;
  uint32_t offset, size; // bytes
};

struct mpipp_enumerator {
  char enumeration[16];
  char name[32];
  int64_t value;
};

struct mpipp_procedure {
  char name[48];
};

// A constant of the standard that is no handle: MPI_BOTTOM, MPI_ANY_SOURCE ...
struct mpipp_constant {
  char name[32];
  int64_t value;
};

// A table: an array (entries), or the objects of a kind (chunks and slots).
struct mpipp_table {
  char name[16];
  uint32_t record;      // index into the list of records
  uint32_t record_size; // bytes
  uint64_t entries;     // array: its address
  uint64_t count;       // array: its length. objects: number of records so far, freed ones included
  uint64_t chunks;      // objects: first chunk
  uint64_t slots;       // objects: hash table, linear probing; 0 while it is being replaced
  uint64_t capacity;    // objects: number of slots, a power of two
  uint32_t handle_size; // objects: bytes of a handle
  uint32_t padding;
};

struct mpipp_chunk {
  uint64_t next;           // address of the next chunk, 0 at the end
  uint64_t used, capacity; // records
  uint64_t padding[5];     // to the next cache line
  // the records follow
};

struct mpipp_slot {
  uint64_t handle;
  uint64_t record; // 0: never used, ends a probe; 1: removed
};

enum mpipp_status {
  MPIPP_STATUS_LOADED = 0,
  MPIPP_STATUS_STARTED,
  MPIPP_STATUS_FINALIZED,
  MPIPP_STATUS_INERT, // built for another MPI library
};

// A buffer for buffered sends.
enum mpipp_attachment_state {
  MPIPP_NOT_ATTACHED,
  MPIPP_ATTACHED,
  MPIPP_ATTACHED_AUTOMATIC, // MPI_BUFFER_AUTOMATIC
  MPIPP_ATTACHED_UNKNOWN,   // it was not seen whether there is one
};
struct mpipp_attachment {
  uint64_t state; // enum "attachment"
  uint64_t address;
  int64_t size;    // bytes
  uint64_t caller; // return address of the call that attached it
  // The messages of consecutive calls: the program cannot know that any of them has left the
  // buffer. Bytes, messages, the place of the first; the number, in its thread, of the call that
  // sent the last.
  int64_t used, messages;
  uint64_t since, last;
};

// Reasons why some buffers could not be guarded, and other consequences.
enum mpipp_hindrance {
  MPIPP_HINDERED_BY_FILE = 1,    // the program has closed the guard's file
  MPIPP_HINDERED_BY_HELD = 2,    // too much memory is locked or protected, piece by piece
  MPIPP_HINDERED_BY_WINDOWS = 4, // too many windows' memory, or attached to them, at a time
  MPIPP_HINDERED_FORK = 8,       // there was no memory for the child's copy
};

// The state of the buffer guard.
enum mpipp_guard {
  MPIPP_GUARD_NONE, // it is not requested, or there was no buffer yet
  MPIPP_GUARD_THERE,
  MPIPP_GUARD_FAILED,   // it is impossible
  MPIPP_GUARD_MEMCHECK, // by valgrind's memcheck, as far as MPI writes them
};

// The root: found by its symbol or, in a core, by its magic. The first 64 bytes never change.
struct mpipp_registry {
  char magic[8];
  uint32_t major, minor;
  uint32_t byte_order;
  uint32_t size; // of this record, bytes
  uint64_t self; // its own address: distinguishes the root from a copy
  uint64_t fields;
  uint32_t field_count, field_size;
  uint64_t tables;
  uint32_t table_count, table_size;
  // from here on by field name
  uint32_t pointer_size, handle_size;
  uint32_t flavor, status; // enums "flavor", "status"
  uint64_t pid;
  int32_t world_rank, world_size;    // of MPI_COMM_WORLD, or mpi://WORLD; -1: unknown
  uint64_t dropped;                  // records lost for lack of memory
  uint64_t started_at;               // when MPI was initialized, as in mpipp_timed; 0: not yet
  uint64_t frames;                   // return addresses kept beyond the caller (MPIPP_FRAMES)
  uint64_t several_threads;          // 1: they may call MPI at the same time
  uint64_t several_called;           // 1: more than one thread has called MPI
  uint64_t return_slot;              // bytes from a call's frame to its return address; 0: unknown
  uint64_t job;                      // distinguishes the launcher's jobs; 0: unknown
  uint64_t parent;                   // process id of the program that started this process
  uint32_t standard, standard_minor; // the version of MPI that the library follows; 0, 0: unknown
  uint64_t main_thread;              // the one that initialized MPI, from gettid; 0: unknown
  int64_t tag_ub;                    // MPI_TAG_UB; 0: unknown
  uint64_t status_size;              // bytes of an MPI_Status
  uint64_t kind_bits;                // of handles (abi/vendor.h)
  uint32_t end_awaited;  // 1: MPI_COMM_SELF still has the attribute that is deleted last
  uint32_t spawned;      // processes that it has started by MPI_Comm_spawn, with others
  uint64_t calls;        // of threads that have ended
  uint64_t ledger_bytes; // memory of the ledger
  uint64_t forgotten;    // calls beyond the ledger's capacity
  uint64_t unasked;      // queries to the watcher (watcher_client/queries.h) beyond the capacity
  struct mpipp_attachment attached; // for all communicators that have none of their own
  uint64_t of_sessions;             // 1: some session has had one
  // Address of a record like a communicator's, with the channels of calls without one; 0: none yet.
  uint64_t apart;
  // 1: there may be requests or messages without a record
  uint64_t unseen;
  uint32_t guard; // enum "guard"
  uint32_t blind; // 1: compiled programs cannot check buffers: there is no shadow
                  // (instrumentation/in_program/)
  // Operations whose buffers' pages could not be protected, since the system allows no more
  // mappings.
  uint64_t crowded;
  uint64_t untold;     // loads and stores in such buffers beyond the capacity
  uint64_t hindrances; // bits of enum "hindrance": why others could not be guarded
  // The log of operations on windows and their order (rma_log/log.h): the first page, 0 if it is
  // not requested; entries beyond the capacity.
  uint64_t onesided, onesided_lost;
  // Pages of windows, counted each time the program has returned from MPI; and those of these whose
  // first load and store would have been logged.
  uint64_t onesided_pages, onesided_closed;
  // Buffers and windows, too many or of too many blocks, whose loads and stores programs that mpipp
  // has compiled do not log.
  uint64_t onesided_unseen;
  // 1: loads and stores of windows are traced, by their pages or since mpipp has compiled a part
  uint64_t onesided_looks;
  char library_version[256];
  char built_with[256];
};

#endif
