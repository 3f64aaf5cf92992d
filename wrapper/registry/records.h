// SPDX-License-Identifier: MIT
// The records a debugger reads. Every field is fixed width and naturally aligned; addresses are
// numbers of 64 bits. Nothing outside this library mirrors these structs: records.def publishes
// their layout in the registry itself, and readers use that.
#ifndef MPIPP_REGISTRY_RECORDS_H
#define MPIPP_REGISTRY_RECORDS_H

#include <stdint.h>

#include "registry/call.h"
#include "registry/keyvals.h"
#include "registry/returned_codes.h"
#include "registry/root.h"
#include "registry/thread_level_violations.h"

enum {
  MPIPP_MAJOR = 1,  // readers refuse another major
  MPIPP_MINOR = 13, // readers accept a larger minor
  MPIPP_BYTE_ORDER = 0x01020304,
  MPIPP_MAX_LOCKS = 8,
  MPIPP_INLINE_ARGUMENTS = 3,
  MPIPP_LAST_CHANNELS = 8, // kept by each thread, of each sequence
  MPIPP_RECENT = 64,       // the longest period of a run that is recognized; a power of two
  MPIPP_PASSAGE_ROOM = 24, // u64 of a struct mpipp_passage
  MPIPP_BOXES_ROOM = 13,   // u64 of a struct mpipp_own
};

// The kind of an object record; the order is that of the registry's object tables.
enum mpipp_kind {
  MPIPP_DATATYPE,
  MPIPP_REQUEST,
  MPIPP_COMM,
  MPIPP_GROUP,
  MPIPP_WIN,
  MPIPP_OP,
  MPIPP_FILE,
  MPIPP_INFO,
  MPIPP_ERRHANDLER,
  MPIPP_SESSION,
  MPIPP_MESSAGE,
  MPIPP_KINDS
};

enum mpipp_flag {
  MPIPP_FLAG_PREDEFINED = 1, // made by the library, never freed
  MPIPP_FLAG_NULL = 2,       // MPI_DATATYPE_NULL and other null handles
  MPIPP_FLAG_ENDED = 4,      // no handle denotes it any more: freed or, for a request, completed
  MPIPP_FLAG_IMPORTED = 8,   // made without the recorder; described by the library's own answers
  MPIPP_FLAG_COMMITTED = 16, // datatypes
  MPIPP_FLAG_UNLISTED = 32,  // no longer reachable by handle, kept for records that refer to it
  MPIPP_FLAG_LARGE = 128,    // datatypes: made by a large-count (_c) constructor
  MPIPP_FLAG_GIVEN_UP = 256, // requests: freed while active; the operation may continue
  MPIPP_FLAG_IDLE = 1024,    // requests: persistent, waited for or tested before any start
  MPIPP_FLAG_SPAWNED = 512,  // communicators: MPI_Comm_spawn has made it
};

// MPIPP_COMBINER_NAMED ...: this library's own numbers, equal for every MPI library.
enum mpipp_combiner {
#define COMBINER(NAME) MPIPP_COMBINER_##NAME,
#include "registry/combiners.def"
#undef COMBINER
};

enum mpipp_order { MPIPP_ORDER_C, MPIPP_ORDER_FORTRAN };
enum mpipp_distribution {
  MPIPP_DISTRIBUTE_NONE,
  MPIPP_DISTRIBUTE_BLOCK,
  MPIPP_DISTRIBUTE_CYCLIC,
};
enum { MPIPP_DISTRIBUTE_DFLT_DARG = -1 };
enum mpipp_win_flavor {
  MPIPP_WIN_CREATE = 1,
  MPIPP_WIN_ALLOCATE,
  MPIPP_WIN_DYNAMIC,
  MPIPP_WIN_SHARED,
};
enum mpipp_win_model { MPIPP_WIN_SEPARATE = 1, MPIPP_WIN_UNIFIED };

// The first members of every object record.
struct mpipp_object {
  uint64_t handle; // the handle's value, as an unsigned integer of the handle's size
  uint64_t serial; // numbers the objects of a kind from 1; 0: being written, or never used
  uint64_t live;   // private: the handle while it is valid, else MPIPP_NO_HANDLE
  uint32_t kind;
  uint32_t references; // records that refer to this one
  union {
    struct {
      uint32_t flags;
      int32_t fint; // the Fortran INTEGER handle
    };
    uint64_t flags_and_fint; // both
  };
  uint64_t caller;  // return address of the call that made it, 0 if unknown
  uint64_t frames;  // further return addresses: count, then that many u64; 0 if not requested
  uint64_t name;    // a C string from the user or the standard, 0 if none
  uint32_t holders; // further references the user holds (MPI_Comm_group of one communicator)
  uint32_t given;   // private: of a request, the last pass over a call's requests that met it
                    // (call_filter/filter.h)
  union {
    uint64_t freed; // once it has ended: return address of the call that freed it, 0 if unknown
    uint64_t next;  // private, of a record without an object: free list
  };
};

struct mpipp_datatype {
  struct mpipp_object object;
  uint32_t combiner; // enum "combiner"
  uint32_t component_count;
  uint64_t argument_count;
  uint64_t arguments;  // i64[argument_count]: the constructor's arguments in the standard's order
  uint64_t components; // address of datatype records, u64[component_count]
  int64_t size, lb, extent, true_lb, true_extent; // as the library says, bytes
  int64_t inline_arguments[MPIPP_INLINE_ARGUMENTS];
  uint64_t inline_component;
  uint64_t alike; // private: address of the record that stands for all equally built datatypes
  uint64_t
      digest; // address of its signature's fingerprint (recorder/objects/signature_hash.h), or 0
};

enum mpipp_request_state {
  MPIPP_REQUEST_INACTIVE = 1, // persistent or partitioned, not started
  MPIPP_REQUEST_ACTIVE,
  MPIPP_REQUEST_COMPLETE, // completed by a wait or test call, the handle is gone
};

// Private. SPECIAL: a change of the request's state is not all of its end. DOUBTED: it shares its
// handle with another request that was completed, and it is unknown which one was meant: the
// program may have moved handles.
enum mpipp_request_bit { MPIPP_SPECIAL = 1, MPIPP_DOUBTED = 2 };

struct mpipp_request {
  struct mpipp_object object;
  union {
    struct {
      uint32_t state; // enum "request_state"
      uint16_t persistent;
      uint16_t special; // bits of enum mpipp_request_bit
    };
    uint64_t state_and_all; // private: with both; MPIPP_REQUEST_ACTIVE if it is
  };
  struct mpipp_call call;
  uint64_t newer;   // another active request that shares this handle (eager sends), or 0
  uint64_t newest;  // private: the last of them
  uint64_t counted; // private: 1 while it keeps datatypes or copies alive
  uint64_t output;  // private: where the operation puts a new handle (MPI_Comm_idup)
  uint64_t copies;  // private: block that holds the copied arrays of v and w forms
  int64_t ready;    // partitions marked so far
  uint64_t marks;   // address of a byte for each partition, 1: it is ready, or has arrived; 0: none
  uint64_t start;   // return address of the call that started it last, if it is persistent; else 0
  uint32_t start_procedure;     // index into the table of procedures
  uint32_t tid;                 // of the thread that started it; 0: unknown, since no hook wants
                                // events
  uint64_t starts;              // how often a collective or partitioned operation was started
} __attribute__((aligned(64))); // the fewer cache lines a request is stored to, the faster

// The sequences that are counted on a communicator. Values above MPIPP_UNCERTAIN are not certain.
#define MPIPP_UNCERTAIN ((uint64_t)1 << 63)
enum mpipp_sequence {
  MPIPP_SENDS,
  MPIPP_RECEIVES,
  MPIPP_COLLECTIVES,
  MPIPP_KEPT_SEQUENCES, // those above: their channels are found without a lock
  MPIPP_PARTITIONED_SENDS = MPIPP_KEPT_SEQUENCES,
  MPIPP_PARTITIONED_RECEIVES,
  MPIPP_CREATIONS,    // of communicators of some of the processes
  MPIPP_WINDOW_CALLS, // collective ones, by the ordinal of the call that made the window
  MPIPP_FILE_CALLS,   // the same of a file
  MPIPP_LEADERS,      // calls of MPI_Intercomm_create by leaders, by the remote one and the tag
  MPIPP_GROUP_CALLS,  // of MPI_Comm_create_group, by members (mpipp_recorder_gather) and tag; and
                     // of calls that make communicators from groups alone, by members and stringtag
  MPIPP_TURNS,         // of MPI_COMM_WORLD: the communicators of consecutive collective calls, see
                       // channels.h
  MPIPP_STARTED_SENDS, // how often partitioned ones were started, counting all of them
  MPIPP_STARTED_RECEIVES,
  MPIPP_STEPS, // of MPI_COMM_WORLD: the first calls of the process (recorder/matching/call_order.h)
  MPIPP_SEQUENCES
};

// A step of a process (recorder/matching/call_order.h): the kind, with flags. Above
// MPIPP_STEP_DISTANCE bits is how many steps ago the operation of a completion was started.
#define MPIPP_STEP_DISTANCE 32
enum mpipp_step {
  MPIPP_STEP_SEND = 1,
  MPIPP_STEP_RECEIVE,
  MPIPP_STEP_COLLECTIVE,
  MPIPP_STEP_COMPLETED, // the operation that was started as many steps before as the distance says
  MPIPP_STEP_PROBE,
  MPIPP_STEP_END, // MPI_Finalize
  MPIPP_STEP_CUT, // more calls follow that are not kept, or whose order is not certain

  MPIPP_STEP_KIND = 0xF,
  MPIPP_STEP_WAITS = 1 << 4,   // the call returns only when the operation is complete
  MPIPP_STEP_AT_ONCE = 1 << 5, // the send needs no receive: its data are buffered, or it is ready
  MPIPP_STEP_SYNCHRONOUS = 1 << 6, // the send is complete only if the receive has started
  MPIPP_STEP_ANY_SOURCE = 1 << 7,  // of a receive or a probe; a step that waits has what it took
  MPIPP_STEP_ANY_TAG = 1 << 8,
  MPIPP_STEP_PAIR = 1 << 9, // one operation with the send of the step before
};

// For a channel whose communicator's handle belongs to another one by now.
#define MPIPP_CLOSED (~(uint64_t)1)

struct mpipp_channel {
  uint64_t next; // of the same communicator
  uint64_t comm; // handle; 0: not in use; or MPIPP_CLOSED
  union {
    uint64_t key; // sends and receives: the peer << 32 | the tag
    struct {      // its halves
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
      uint32_t tag, peer;
#else
      uint32_t peer, tag;
#endif
    };
  };
  uint64_t count;    // number of operations started so far
  uint64_t certain;  // the count before MPIPP_UNCERTAIN was added to it
  uint32_t sequence; // enum "sequence"
  uint32_t period;   // of the current run in its history; 0: none
  uint64_t thread;   // private: serial of the thread that was the first to use it
  uint64_t history;  // address, 0 if nothing is kept
  uint64_t expected; // private: address of the call in the history that the next one should equal
  uint64_t resumes;  // private: the same while the channel is held
                     // (recorder/matching/wildcard_receives.h)
  uint32_t shared;   // 1: by threads that start operations concurrently, so that they have no order
  uint32_t gaps;     // 1: some counted calls are not in its history, or others are
};

// The items in the history of a channel (recorder/ledger/ledger.h): the lowest 8 bits of an item.
enum mpipp_item {
  MPIPP_ITEM_CALL = 1,
  MPIPP_ITEM_RUN,     // period << 8 | length << 16
  MPIPP_ITEM_ORDINAL, // ordinal << 8
};

struct mpipp_history {
  uint64_t pages; // address of the first
  uint64_t comm;  // address of the communicator's record
  uint64_t full;  // 1: later calls are not kept
  uint64_t noted; // ordinal of the last collective call that was noted: collective calls are noted
                  // when MPI has accepted them, sends and receives when they are counted
  // private
  uint64_t last;                 // page
  uint64_t position;             // ordinal of the last call that is written
  uint64_t recent_from;          // the first ordinal of those in `recent`
  uint64_t recent[MPIPP_RECENT]; // addresses of the last calls up to `position`, by ordinal
};

// The time of a call in a history (recorder/ledger/timestamps.h).
struct mpipp_timed {
  uint64_t history; // address; 0: not in use
  uint64_t ordinal;
  uint64_t time; // nanoseconds, on the system's monotonic clock
};

struct mpipp_page {
  uint64_t next;
  uint64_t used, capacity; // words, which follow
  uint64_t words[];
};

enum mpipp_topology { MPIPP_TOPO_NONE, MPIPP_TOPO_CART, MPIPP_TOPO_GRAPH, MPIPP_TOPO_DIST_GRAPH };

struct mpipp_comm {
  struct mpipp_object object;
  int32_t rank, size, inter, remote_size;
  uint64_t world_ranks; // i32[size]: ranks in MPI_COMM_WORLD; 0: equal to the rank, or unknown
  uint64_t remote_world_ranks; // i32[remote_size]
  uint32_t topology;           // enum "topology"
  int32_t ndims;
  uint64_t dims, periods, coords; // i32[ndims]
  int32_t indegree, outdegree;
  uint64_t sources, destinations; // i32[indegree], i32[outdegree] of graphs; 0: unknown
  uint32_t world_known;           // 1: world_ranks == 0 means equal to the rank
  uint32_t logged;                // private: the log has its members (rma_log/log.h)
  uint64_t errhandler;            // handle set by MPI_Comm_set_errhandler, 0 if never set
  uint64_t identity;              // equal in all its processes and different for others; 0: unknown
  uint64_t channels;              // the first of them
  uint64_t channel_table;         // private: finds them
  uint64_t posted_any;            // receives with MPI_ANY_SOURCE or MPI_ANY_TAG so far
  uint64_t returned_any;          // of these, those whose channel has become known
  uint64_t abandoned;             // receives whose request was freed while they were active
  uint32_t uncertain;             // 1 << enum "sequence": those whose ordinals are not certain
  uint32_t frozen;                // 1 after a receive whose channel stays unknown
  uint32_t uncertain_all;         // of `uncertain`: not only in channels that threads share
  uint32_t padding;
  uint64_t
      shadow;    // private: a communicator of the same processes, 0 if none (collective_precheck/)
  uint64_t late; // private: receives that wait to be known (recorder/matching/wildcard_receives.h)
  uint64_t session; // private: handle of the session that it comes from, 0: none, or unknown
  // Without an identity: the serial of the communicator whose collective call made it, and the
  // ordinal of that call; 0: unknown.
  uint64_t made_of, made_by;
  struct mpipp_attachment attached;
};

struct mpipp_group {
  struct mpipp_object object;
  int32_t size, rank; // rank: -1 when the process is not a member
  uint64_t world_ranks;
  uint32_t world_known;
  uint32_t padding;
  uint64_t session; // private: as for a communicator
};

enum mpipp_epoch {
  MPIPP_EPOCH_FENCE = 1,
  MPIPP_EPOCH_START = 2, // access epoch, MPI_Win_start
  MPIPP_EPOCH_POST = 4,  // exposure epoch, MPI_Win_post
  MPIPP_EPOCH_LOCK = 8,
  MPIPP_EPOCH_LOCK_ALL = 16,
};

struct mpipp_win {
  struct mpipp_object object;
  uint64_t base, taken_base; // the program's address, and MPI's
  int64_t size, disp_unit;
  uint32_t flavor, model; // enums "win_flavor", "win_model"
  uint64_t comm;          // handle
  uint64_t epochs;        // enum "epoch", a set of bits
  // Group handles of MPI_Win_start, as soon as it is called, and of MPI_Win_post, and their
  // serials.
  uint64_t access_group, exposure_group;
  uint64_t access_serial, exposure_serial;
  uint64_t identity;      // equal in all its processes and different for others; 0: unknown
  uint64_t comm_identity; // of the communicator that it was made from
  uint64_t fences;        // calls of MPI_Win_fence that have begun
  uint64_t completes;     // calls of MPI_Win_complete that have begun
  uint64_t channel;       // private: of its collective calls, 0 if nothing is kept of them
  uint32_t locking;       // the lock that MPI_Win_lock is asked for: 0 shared, 1 exclusive
  uint32_t known_locks;   // number of held locks whose ranks are kept
  uint32_t lock_count;    // locks held; more than MPIPP_MAX_LOCKS are only counted
  uint32_t no_locks;      // private: 1 if its info has no_locks, in runs that log it
  int32_t lock_ranks[MPIPP_MAX_LOCKS];
  int32_t lock_exclusive[MPIPP_MAX_LOCKS];
  int32_t rank;     // in the window's group; -1: unknown
  uint32_t told;    // private: the users that know of others' parts (rma_log/shared_segments.h)
  uint64_t shadow;  // private, as for a communicator
  uint64_t reaches; // address of a struct mpipp_reaches (window_extents.h); 0: there is none
};

struct mpipp_op {
  struct mpipp_object object;
  uint64_t function; // user function, 0 for predefined operations
  int32_t commute;
  uint32_t padding;
};

struct mpipp_file {
  struct mpipp_object object;
  uint64_t comm;     // handle
  uint64_t filename; // C string
  int64_t amode, disp;
  uint64_t etype, filetype; // datatype handles of the view
  uint64_t datarep;         // C string, 0 if never set
  uint64_t channel;         // of its collective calls, 0 if nothing is kept of them
  uint32_t split_pending;   // 1: between a split collective's _begin and _end
  uint32_t split_doubted;   // 1: one of them has failed, and the state after it is unknown
  uint64_t split_ended;     // the serial of the last _end in its thread
  uint64_t shadow;          // private, as for a communicator
  uint64_t split_number;    // private: of that call among all split ones of the process, from 1
  struct mpipp_call call;   // that split collective call
};

struct mpipp_info {
  struct mpipp_object object;
  int64_t key_count;
  uint64_t entries; // key, NUL, value, NUL, key ...
};

struct mpipp_errhandler {
  struct mpipp_object object;
  uint64_t function; // user function, 0 for predefined error handlers
};

struct mpipp_session {
  struct mpipp_object object;
  uint64_t errhandler; // handle
};

struct mpipp_message {
  struct mpipp_object object;
  uint64_t comm; // handle
  int64_t source, tag;
  uint64_t ordinal; // of its receive, as in a call
};

struct mpipp_thread {
  uint64_t serial;                   // numbers the threads from 1; 0: record not in use
  uint64_t tid;                      // from gettid
  uint64_t self;                     // from pthread_self
  uint64_t next_serial, last_serial; // private: serials reserved for requests
  uint64_t next;                     // private: free list
  uint64_t stack_start, stack_end;   // of the thread's own stack; 0: unknown
  uint64_t channels[MPIPP_KEPT_SEQUENCES][MPIPP_LAST_CHANNELS]; // private: used last
  uint64_t known[MPIPP_MAX_BUFFERS]; // private: datatypes of the last call's buffers
  // The request handles that were passed to its last waiting call, and that call's number; the
  // capacity for handles. Only if readers cannot see the program's own memory.
  uint64_t shown, shown_serial, shown_room;
  uint64_t passage; // private: of the call, 0 if no hooks have entered it (intercept/hooks.h)
  // A call's place in the program if it is not the caller, and the call's number. It may be a line
  // of Python, or the code that called Fortran's layer.
  uint64_t place, place_serial;
  // For consecutive calls that found nothing (MPI_Test and similar): the first, the object that the
  // last one tested (private), and whether others tested another one.
  uint64_t polls_from, polls_for, polls_vary;
  // For a call that is not recorded: the number of its handles, and these, in the order of its
  // parameters.
  uint64_t handle_count, handle, other_handle;
  uint64_t polled; // the last of them; 0: none is. Beside the call's number: both change at once
  // members that every call stores to
  uint32_t suspected; // private: a breach that its call may have a part in
  uint32_t depth;     // > 0: inside a call the record below describes
  union {
    struct {
      uint16_t profiling; // private: see mpipp_passes
      uint16_t watched;   // private: 1: its calls may break the thread level, see thread_levels.h
    };
    uint32_t aside; // both
  };
  uint32_t padding;
  struct mpipp_call call;
  // The last completed calls with buffers, by place: so many struct mpipp_past_call; 0: none yet.
  uint64_t past_calls, past_count;
  uint64_t boxes[MPIPP_BOXES_ROOM];  // private: the boxes of the call's buffers
                                     // (call_filter/filter.h)
  uint64_t room[MPIPP_PASSAGE_ROOM]; // private: for the passage
} __attribute__((aligned(64)));

// The last completed call from a place in the program (recorder/threads/past_calls.h): its buffers,
// and what comes before them in a call's record.
struct mpipp_past_call {
  uint64_t place;                      // 0: not in use
  uint64_t serials[MPIPP_MAX_BUFFERS]; // of the buffers' datatypes; 0: unknown
  struct mpipp_call call;
};

// A place of calls with its callers (registry/stack_places.h). Places of calls may be the address
// of such a record.
struct mpipp_stack_place {
  uint64_t caller; // return address of the call
  uint64_t frames; // address of the count of return addresses, the first of which is the caller,
                   // and of these
  uint64_t hash, chain; // private: the next in its bucket
};

// A line of Python that has called MPI. Places of calls may also be the address of such a record.
struct mpipp_python_place {
  uint64_t frame;   // address of the interpreter's frame
  uint64_t version; // of CPython, as in Py_Version
  // The interpreter's memory that contains the line: pieces, each an address, its length in bytes,
  // and the content, rounded up to 8 bytes.
  uint64_t pieces, bytes;
  // Private: the key of the line, the next in its bucket, and whether it is mpi4py's own.
  uint64_t code, instruction, file, function, lines;
  uint64_t chain, passed_over;
};

#endif
