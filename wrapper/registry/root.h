// SPDX-License-Identifier: MIT
// Where a debugger begins: the root, and the tables that say where the records are and how they
// are laid out.
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
  uint64_t count;       // array: its length. objects: records handed out, freed ones included
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
  MPIPP_ATTACHED_UNKNOWN,   // whether there is one was not seen
};
struct mpipp_attachment {
  uint64_t state; // enum "attachment"
  uint64_t address;
  int64_t size;    // bytes
  uint64_t caller; // return address of the call that attached it
  // What was put there by calls that followed each other, so that the program cannot know that any
  // of it has left: bytes, messages, where the first was sent, and which call of its thread sent
  // the last.
  int64_t used, messages;
  uint64_t since, last;
};

// Why buffers could not be looked at as they might, or whatever else came of that.
enum mpipp_hindrance {
  MPIPP_HINDERED_BY_FILE = 1,    // the program has closed the guard's file
  MPIPP_HINDERED_BY_HELD = 2,    // too much memory is locked or protected, piece by piece
  MPIPP_HINDERED_BY_WINDOWS = 4, // too many windows' memory, or attached to them, at a time
  MPIPP_HINDERED_FORK = 8,       // there was no memory for the child's copy
};

// Whether buffers of pending operations are guarded.
enum mpipp_guard {
  MPIPP_GUARD_NONE, // it is not asked for, or there was no buffer yet
  MPIPP_GUARD_THERE,
  MPIPP_GUARD_FAILED,   // it cannot be
  MPIPP_GUARD_MEMCHECK, // by valgrind's memcheck, as far as MPI writes them
};

// The root: found by its symbol or, in a core, by its magic. The first 64 bytes never change.
struct mpipp_registry {
  char magic[8];
  uint32_t major, minor;
  uint32_t byte_order;
  uint32_t size; // of this record, bytes
  uint64_t self; // its own address: tells the root from a copy
  uint64_t fields;
  uint32_t field_count, field_size;
  uint64_t tables;
  uint32_t table_count, table_size;
  // from here on by field name
  uint32_t pointer_size, handle_size;
  uint32_t flavor, status; // enums "flavor", "status"
  uint64_t pid;
  int32_t world_rank, world_size; // of MPI_COMM_WORLD, or mpi://WORLD; -1: unknown
  uint64_t dropped;               // records lost for want of memory
  uint64_t started_at;            // when MPI was initialized, as mpipp_timed has it; 0: not yet
  uint64_t frames;                // return addresses kept beyond the caller (MPIPP_FRAMES)
  uint64_t several_threads;       // 1: they may call MPI at the same time
  uint64_t several_called;        // 1: more than one thread has called MPI
  uint64_t return_slot;           // bytes from a call's frame to its return address; 0: not known
  uint64_t job;                   // tells the launcher's jobs apart; 0: not known
  uint64_t parent;                // process id of what started this process
  uint32_t standard, standard_minor; // the version of MPI that the library follows; 0, 0: not known
  uint64_t main_thread;              // that initialized MPI, as gettid says; 0: not known
  int64_t tag_ub;                    // MPI_TAG_UB; 0: not known
  uint64_t kind_bits;                // of handles (abi/vendor.h)
  uint32_t end_awaited;  // 1: MPI_COMM_SELF still has the attribute that is deleted last
  uint32_t spawned;      // processes that it has started by MPI_Comm_spawn, with others
  uint64_t calls;        // of threads that have ended
  uint64_t ledger_bytes; // that the ledger takes
  uint64_t forgotten;    // calls that found no room in it
  uint64_t unasked;      // questions to the watcher (watcher_client/queries.h) that found no room
  struct mpipp_attachment attached; // for all communicators that have none of their own
  uint64_t of_sessions;             // 1: some session has had one
  // Address of a record like a communicator's, whose channels are of calls on none; 0: none yet.
  uint64_t apart;
  // 1: requests or messages may be there of which nothing is recorded
  uint64_t unseen;
  uint32_t guard; // enum "guard"
  uint32_t blind; // 1: compiled programs cannot look at buffers: there is no shadow
                  // (instrumentation/in_program/)
  // Operations whose buffers' pages could not be protected, since the system has no room for more
  // mappings.
  uint64_t crowded;
  uint64_t untold;     // loads and stores in such buffers that found no room to be taken down
  uint64_t hindrances; // bits of enum "hindrance": why others could not be looked at as they might
  // What was done on windows and what orders it (rma_log/log.h): the first page, 0 if that is not
  // asked for; entries that found no room.
  uint64_t onesided, onesided_lost;
  // Pages of windows, each as often as the program has come from MPI; of these, those whose first
  // load and store would have been logged.
  uint64_t onesided_pages, onesided_closed;
  // Buffers and windows, too many or of too many blocks, whose loads and stores programs that mpipp
  // has compiled do not log.
  uint64_t onesided_unseen;
  // 1: loads and stores of windows are looked at, by their pages or since mpipp has compiled a part
  uint64_t onesided_looks;
  char library_version[256];
  char built_with[256];
};

#endif
