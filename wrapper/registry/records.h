// SPDX-License-Identifier: MIT
// The records that a debugger reads. Every field has a fixed width and natural alignment; addresses
// are numbers of 64 bits. No reader has copies of these structs: records.def publishes their layout
// in the registry itself, and readers use that.
#ifndef MPIPP_REGISTRY_RECORDS_H
#define MPIPP_REGISTRY_RECORDS_H

#include <stdint.h>

#include "registry/call.h"
#include "registry/keyvals.h"
#include "registry/returned_codes.h"
#include "registry/root.h"
#include "registry/thread_violations.h"

enum {
  MPIPP_MAJOR = 1,  // readers reject any other major version
  MPIPP_MINOR = 13, // readers accept a larger minor version
  MPIPP_BYTE_ORDER = 0x01020304,
  MPIPP_MAX_LOCKS = 8,
  MPIPP_INLINE_ARGUMENTS = 3,
  MPIPP_LAST_CHANNELS = 8, // number of channels that each thread keeps for each sequence
  MPIPP_RECENT = 64,       // the longest period of a run that is recognized; a power of two
  MPIPP_PASSAGE_ROOM = 24, // capacity for a struct mpipp_passage, in u64
  MPIPP_BOXES_ROOM = 13,   // capacity for a struct mpipp_own, in u64
};

// The kinds of objects, in the order of the registry's object tables.
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
  MPIPP_FLAG_ENDED = 4,      // no handle denotes the object any more: it was freed, or the request
                             // completed
  MPIPP_FLAG_IMPORTED = 8,   // created unseen; described by querying MPI
  MPIPP_FLAG_COMMITTED = 16, // only datatypes
  MPIPP_FLAG_UNLISTED = 32,  // no handle leads to the record, which is kept because others refer to
                             // it
  MPIPP_FLAG_LARGE = 128,    // datatypes: created by a large-count (_c) constructor
  MPIPP_FLAG_GIVEN_UP = 256, // requests: freed while active, so the operation may continue
  MPIPP_FLAG_IDLE = 1024,    // requests: a persistent one that was waited for or tested before any
                             // start
  MPIPP_FLAG_SPAWNED = 512,  // communicators: created by MPI_Comm_spawn
};

// mpipp's own numbers for combiners, which are equal for every MPI library.
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

// The members with which every object record begins.
struct mpipp_object {
  uint64_t handle; // the value of the handle, as an unsigned integer of the same size
  uint64_t serial; // numbers the objects of each kind from 1; 0: being written, or never used
  uint64_t live;   // private: the handle while the object is live, else MPIPP_NO_HANDLE
  uint32_t kind;
  uint32_t references; // number of records that refer to this one
  union {
    struct {
      uint32_t flags;
      int32_t fint; // the Fortran INTEGER handle
    };
    uint64_t flags_and_fint; // both members at once
  };
  uint64_t caller; // return address of the call that created it, 0 if unknown
  uint64_t frames; // address of a count, followed by that number of further return addresses (u64);
                   // 0 if not requested
  uint64_t name;   // address of a C string: the name that the program or the standard gives it, 0
                   // if none
  uint32_t holders; // references that the program holds beside the first one (MPI_Comm_group
                    // returns one handle several times)
  uint32_t given;   // private, for a request: number of the last pass over a call's requests that
                    // found it (call_filter/filter.h)
  union {
    uint64_t freed; // return address of the call that freed it, 0 if unknown
    uint64_t next;  // private, for an unused record: next free one
  };
};

struct mpipp_datatype {
  struct mpipp_object object;
  uint32_t combiner; // enum "combiner"
  uint32_t component_count;
  uint64_t argument_count;
  uint64_t arguments;  // address of i64[argument_count]: the constructor's arguments in the
                       // standard's order
  uint64_t components; // address of u64[component_count]: addresses of the components' records
  int64_t size, lb, extent, true_lb, true_extent; // in bytes, as the library reports them
  int64_t inline_arguments[MPIPP_INLINE_ARGUMENTS];
  uint64_t inline_component;
  uint64_t alike;  // private: address of the record that stands for all datatypes with this
                   // construction
  uint64_t digest; // private: address of its type signature's fingerprint
                   // (recorder/objects/signature_hash.h), or 0
};

enum mpipp_request_state {
  MPIPP_REQUEST_INACTIVE = 1, // persistent or partitioned, not started
  MPIPP_REQUEST_ACTIVE,
  MPIPP_REQUEST_COMPLETE, // completed by a wait or test call, so the handle is no longer valid
};

// Private. SPECIAL: the request needs more work at its end than a new state. DOUBTED: another
// request with the same handle was completed, and the program may have moved handles, so it is
// unknown which one was meant.
enum mpipp_request_bit { MPIPP_SPECIAL = 1, MPIPP_DOUBTED = 2 };

struct mpipp_request {
  struct mpipp_object object;
  union {
    struct {
      uint32_t state; // enum "request_state"
      uint16_t persistent;
      uint16_t special; // bits of enum mpipp_request_bit
    };
    uint64_t state_and_all; // private: the three members above; equal to MPIPP_REQUEST_ACTIVE for
                            // an ordinary active request
  };
  struct mpipp_call call;
  uint64_t newer;   // address of a newer active request with the same handle (eager sends), or 0
  uint64_t newest;  // private: address of the newest of these requests
  uint64_t counted; // private: 1 while it keeps datatypes or copies alive
  uint64_t output;  // private: address where the operation stores a new handle (MPI_Comm_idup)
  uint64_t copies;  // private: address of the block with copies of the arrays of v and w forms
  int64_t ready;    // number of partitions marked so far
  uint64_t marks;   // address of one byte for each partition, 1: ready, or arrived; 0 if not
                    // partitioned
  uint64_t start;   // return address of the call that last started it, if it is persistent; else 0
  uint32_t start_procedure; // index into the table of procedures
  uint32_t tid;             // id of the thread that started it; 0: unknown, because no hook
                            // wants events
  uint64_t starts;          // number of starts of a collective or partitioned operation
  // Private: the last call that completes this request, and the request's serial then
  // (intercept/concurrent_calls.c).
  uint64_t completer, completer_of;
} __attribute__((aligned(64))); // the fewer cache lines are written for a request, the faster it is

// The sequences that are counted on a communicator. A count above MPIPP_UNCERTAIN is not certain.
#define MPIPP_UNCERTAIN ((uint64_t)1 << 63)
enum mpipp_sequence {
  MPIPP_SENDS,
  MPIPP_RECEIVES,
  MPIPP_COLLECTIVES,
  MPIPP_KEPT_SEQUENCES, // number of the sequences above, whose channels each thread finds without a
                        // lock
  MPIPP_PARTITIONED_SENDS = MPIPP_KEPT_SEQUENCES,
  MPIPP_PARTITIONED_RECEIVES,
  MPIPP_CREATIONS,    // creations of communicators by some of the processes
  MPIPP_WINDOW_CALLS, // collective calls on a window, keyed by the ordinal of the call that created
                      // it
  MPIPP_FILE_CALLS,   // collective calls on a file, keyed by the ordinal of the call that opened it
  MPIPP_LEADERS, // calls of MPI_Intercomm_create by leaders, keyed by the remote leader and the tag
  MPIPP_GROUP_CALLS,   // calls of MPI_Comm_create_group, keyed by the tag and a hash of the members
                       // (mpipp_recorder_gather). Also calls that create communicators from groups
                       // alone, keyed by members and stringtag
  MPIPP_TURNS,         // on MPI_COMM_WORLD: the communicators of consecutive collective calls, see
                       // channels.h
  MPIPP_STARTED_SENDS, // number of starts of partitioned sends with one peer and tag, for all
                       // requests together
  MPIPP_STARTED_RECEIVES,
  MPIPP_STEPS, // on MPI_COMM_WORLD: the first calls of the process (recorder/matching/call_order.h)
  MPIPP_SEQUENCES
};

// A step of a process (recorder/matching/call_order.h): the kind, and flags. The bits from
// MPIPP_STEP_DISTANCE on are for completions: they have the number of steps since the operation was
// started.
#define MPIPP_STEP_DISTANCE 32
enum mpipp_step {
  MPIPP_STEP_SEND = 1,
  MPIPP_STEP_RECEIVE,
  MPIPP_STEP_COLLECTIVE,
  MPIPP_STEP_COMPLETED, // completes an operation that an earlier step started
  MPIPP_STEP_PROBE,
  MPIPP_STEP_END, // the process calls MPI_Finalize
  MPIPP_STEP_CUT, // the last step: later calls are not kept, or their order is not certain

  MPIPP_STEP_KIND = 0xF,
  MPIPP_STEP_WAITS = 1 << 4,       // flag: the call returns only when the operation is complete
  MPIPP_STEP_AT_ONCE = 1 << 5,     // flag: the send does not wait for a receive, because it is
                                   // buffered, or a ready send
  MPIPP_STEP_SYNCHRONOUS = 1 << 6, // flag: the send completes only after the receive has started
  MPIPP_STEP_ANY_SOURCE = 1 << 7,  // flag of a receive or a probe with MPI_ANY_SOURCE; if the step
                                   // waits, its peer is the source that was found
  MPIPP_STEP_ANY_TAG = 1 << 8,
  MPIPP_STEP_PAIR = 1 << 9, // flag: the receive of MPI_Sendrecv, whose send is the previous step
};

// Replaces the handle in a channel when its communicator's handle belongs to another communicator.
#define MPIPP_CLOSED (~(uint64_t)1)

struct mpipp_channel {
  uint64_t next; // address of the next channel of the same communicator
  uint64_t comm; // the communicator's handle; 0: not in use; or MPIPP_CLOSED
  union {
    uint64_t key; // sends and receives: peer << 32 | tag
    struct {      // the two halves of the key
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
      uint32_t tag, peer;
#else
      uint32_t peer, tag;
#endif
    };
  };
  uint64_t count;    // number of operations started so far
  uint64_t certain;  // the count before it became uncertain
  uint32_t sequence; // enum "sequence"
  uint32_t period;   // period of the current run in its history; 0: none
  uint64_t thread;   // private: serial of the first thread that used it
  uint64_t history;  // address of the history, 0 if none is kept
  uint64_t expected; // private: address of the item in the history that the next call is expected
                     // to equal
  uint64_t resumes;  // private: the saved `expected` while the channel is held
                     // (recorder/matching/wildcard_receives.h)
  uint32_t shared;   // 1: threads start its operations concurrently, so that they have no order
  uint32_t gaps;     // 1: the history lacks some counted calls, or has others in their place
};

// The items in the history of a channel (recorder/ledger/ledger.h). The lowest 8 bits of an item
// are its kind.
enum mpipp_item {
  MPIPP_ITEM_CALL = 1,
  MPIPP_ITEM_RUN,     // a run: period << 8 | length << 16
  MPIPP_ITEM_ORDINAL, // an ordinal: ordinal << 8
};

struct mpipp_history {
  uint64_t pages; // address of the first page
  uint64_t comm;  // address of the communicator's record
  uint64_t full;  // 1: the ledger is full, so later calls are not kept
  uint64_t noted; // ordinal of the last collective call that was noted. Collective calls are noted
                  // when MPI has accepted them, but sends and receives when they are counted
  // The members below are private.
  uint64_t last;                 // the last page
  uint64_t position;             // ordinal of the last call that was written
  uint64_t recent_from;          // the first ordinal in `recent`
  uint64_t recent[MPIPP_RECENT]; // addresses of the items of the last calls up to `position`, by
                                 // ordinal
};

// The time of a call in a history (recorder/ledger/timestamps.h).
struct mpipp_timed {
  uint64_t history; // address of the history; 0: not in use
  uint64_t ordinal;
  uint64_t time; // nanoseconds on the system's monotonic clock
};

struct mpipp_page {
  uint64_t next;
  uint64_t used, capacity; // number of words, which follow
  uint64_t words[];
};

enum mpipp_topology { MPIPP_TOPO_NONE, MPIPP_TOPO_CART, MPIPP_TOPO_GRAPH, MPIPP_TOPO_DIST_GRAPH };

struct mpipp_comm {
  struct mpipp_object object;
  int32_t rank, size, inter, remote_size;
  uint64_t world_ranks; // address of i32[size]: ranks in MPI_COMM_WORLD; 0: equal to the rank, or
                        // unknown
  uint64_t remote_world_ranks; // address of i32[remote_size]
  uint32_t topology;           // enum "topology"
  int32_t ndims;
  uint64_t dims, periods, coords; // addresses of i32[ndims]
  int32_t indegree, outdegree;
  uint64_t sources, destinations; // addresses of i32[indegree] and i32[outdegree], for graphs; 0:
                                  // unknown
  uint32_t world_known;           // 1: if world_ranks is 0, ranks in MPI_COMM_WORLD are equal to
                                  // the ranks here
  uint32_t logged;                // private: 1 when the log has its members (rma_log/log.h)
  uint64_t errhandler;            // the handle that MPI_Comm_set_errhandler has set, 0 if none
  uint64_t identity;              // a number that is equal in all its processes and different from
                                  // other communicators'; 0: unknown
  uint64_t channels;              // address of the first channel
  uint64_t channel_table;         // private: address of the hash table of channels
  uint64_t posted_any;            // number of receives with MPI_ANY_SOURCE or MPI_ANY_TAG so far
  uint64_t returned_any;          // number of these receives whose channel is now known
  uint64_t abandoned;     // number of receives whose request was freed while they were active
  uint32_t uncertain;     // bit (1 << enum "sequence") is set if the sequence's ordinals
                          // are not certain
  uint32_t frozen;        // 1 after a wildcard receive whose channel stays unknown, and
                          // while one is unknown
  uint32_t uncertain_all; // bits of `uncertain` that also apply to channels which no threads share
  uint32_t padding;
  uint64_t shadow;  // private: handle of the shadow communicator with the same processes, 0 if none
                    // (collective_precheck/)
  uint64_t late;    // private: address of the receives whose channels are not known yet
                    // (recorder/matching/wildcard_receives.h)
  uint64_t session; // private: handle of the session that it comes from; 0: none, or unknown
  uint64_t user;    // private: the last collective call (intercept/concurrent_calls.c)
  // For a communicator without an identity: the collective call that created it. made_of: serial of
  // the communicator of that call; made_by: the call's ordinal; 0: unknown.
  uint64_t made_of, made_by;
  struct mpipp_attachment attached;
};

struct mpipp_group {
  struct mpipp_object object;
  int32_t size, rank; // rank: -1 if the process is not a member
  uint64_t world_ranks;
  uint32_t world_known;
  uint32_t padding;
  uint64_t session; // private: handle of the session that it comes from; 0: none, or unknown
};

enum mpipp_epoch {
  MPIPP_EPOCH_FENCE = 1,
  MPIPP_EPOCH_START = 2, // an access epoch of MPI_Win_start
  MPIPP_EPOCH_POST = 4,  // an exposure epoch of MPI_Win_post
  MPIPP_EPOCH_LOCK = 8,
  MPIPP_EPOCH_LOCK_ALL = 16,
};

struct mpipp_win {
  struct mpipp_object object;
  uint64_t base, taken_base; // base: the address for the program; taken_base: MPI's own address of
                             // the window
  int64_t size, disp_unit;
  uint32_t flavor, model; // enums "win_flavor", "win_model"
  uint64_t comm;          // handle of the communicator that was passed when it was created
  uint64_t epochs;        // enum "epoch", a set of bits
  // Handles and serials of the groups of MPI_Win_start, set when it is called, and of MPI_Win_post.
  uint64_t access_group, exposure_group;
  uint64_t access_serial, exposure_serial;
  uint64_t identity;      // a number that is equal in all its processes and different from other
                          // windows'; 0: unknown
  uint64_t comm_identity; // identity of the communicator that created the object
  uint64_t fences;        // number of calls of MPI_Win_fence that have begun
  uint64_t completes;     // number of calls of MPI_Win_complete that have begun
  uint64_t channel; // private: address of the channel of its collective calls, 0 if none is kept
  uint32_t locking; // the lock that a running MPI_Win_lock requests: 0 shared, 1 exclusive
  uint32_t known_locks; // number of held locks of which the ranks are recorded
  uint32_t lock_count;  // number of held locks; beyond MPIPP_MAX_LOCKS they are only counted
  uint32_t no_locks;    // private: 1 if its info has no_locks (only in runs that log this)
  int32_t lock_ranks[MPIPP_MAX_LOCKS];
  int32_t lock_exclusive[MPIPP_MAX_LOCKS];
  int32_t rank;     // rank in the window's group; -1: unknown
  uint32_t told;    // private: bits for the users that have got the addresses of other processes'
                    // parts (rma_log/shared_segments.h)
  uint64_t shadow;  // private: handle of the shadow communicator for its calls, 0 if none
                    // (collective_precheck/)
  uint64_t reaches; // address of a struct mpipp_reaches (window_extents.h); 0: none
  uint64_t user;    // private: the last collective call (intercept/concurrent_calls.c)
};

struct mpipp_op {
  struct mpipp_object object;
  uint64_t function; // address of the program's function, 0 for predefined operations
  int32_t commute;
  uint32_t padding;
};

struct mpipp_file {
  struct mpipp_object object;
  uint64_t comm;     // handle of the communicator
  uint64_t filename; // address of a C string
  int64_t amode, disp;
  uint64_t etype, filetype; // datatype handles of the view
  uint64_t datarep;         // address of a C string, 0 if never set
  uint64_t channel;         // address of the channel of its collective calls, 0 if none is kept
  uint32_t split_pending;   // 1: between _begin and _end of a split collective operation
  uint32_t split_doubted;   // 1: a _begin or _end has failed, so the state is unknown
  uint64_t split_ended;     // serial, in its thread, of the last _end call
  uint64_t shadow;          // private: handle of the shadow communicator for its calls, 0 if none
                            // (collective_precheck/)
  uint64_t split_number;    // private: ordinal of the pending split call among all split calls of
                            // the process, from 1
  uint64_t user;            // private: the last collective call (intercept/concurrent_calls.c)
  struct mpipp_call call;   // the call that began the pending split operation
};

struct mpipp_info {
  struct mpipp_object object;
  int64_t key_count;
  uint64_t entries; // address of key, NUL, value, NUL, key ...
};

struct mpipp_errhandler {
  struct mpipp_object object;
  uint64_t function; // address of the program's function, 0 for predefined error handlers
};

struct mpipp_session {
  struct mpipp_object object;
  uint64_t errhandler; // handle of its error handler
};

struct mpipp_message {
  struct mpipp_object object;
  uint64_t comm; // handle of the communicator
  int64_t source, tag;
  uint64_t ordinal; // ordinal of its receive, as in a call
};

struct mpipp_thread {
  uint64_t serial;                   // numbers the threads from 1; 0: the record is not in use
  uint64_t tid;                      // the result of gettid
  uint64_t self;                     // the result of pthread_self
  uint64_t next_serial, last_serial; // private: range of serials that are reserved for this
                                     // thread's requests
  uint64_t next;                     // private: next free record
  uint64_t stack_start, stack_end;   // bounds of the thread's own stack; 0: unknown
  uint64_t channels[MPIPP_KEPT_SEQUENCES][MPIPP_LAST_CHANNELS]; // private: addresses of the
                                                                // channels used last
  uint64_t known[MPIPP_MAX_BUFFERS]; // private: records of the datatypes of the last call's buffers
  // A copy of the request handles that the thread's last waiting call got, that call's serial, and
  // the capacity of the copy. Used only if readers cannot see the program's own memory.
  uint64_t shown, shown_serial, shown_room;
  uint64_t passage; // private: address of the call's passage, 0 if no hooks have entered it
                    // (intercept/hooks.h)
  // The place of a call in the program if it is not the caller, and that call's serial. It may be a
  // line of Python, or code that called MPI's Fortran layer.
  uint64_t place, place_serial;
  // For consecutive calls that found nothing (MPI_Test and similar): the serial of the first one,
  // and the object that the last one tested (private). polls_vary: 1 if others tested another
  // object.
  uint64_t polls_from, polls_for, polls_vary;
  // For a call that is not recorded: the number of its handles, and the first two, in the order of
  // its parameters.
  uint64_t handle_count, handle, other_handle;
  uint64_t polled; // serial of the last of the polling calls; 0: none. It stands beside the call's
                   // serial, so that both change at once
  // The members below are stored to by every call.
  uint32_t suspected; // private: a thread level violation in which this call may take part
  uint32_t depth;     // > 0: the thread is inside the call that the record below describes
  union {
    struct {
      uint16_t profiling; // private: 1 if the next call comes from PMPI_X, see mpipp_passes
      uint16_t watched;   // private: 1: its calls are checked for the thread level, see
                          // thread_levels.h
    };
    uint32_t aside; // both members at once
  };
  uint32_t padding;
  struct mpipp_call call;
  // The last completed calls with buffers, by place: the address of past_count struct
  // mpipp_past_call; 0: none yet.
  uint64_t past_calls, past_count;
  uint64_t boxes[MPIPP_BOXES_ROOM];  // private: the boxes of the call's buffers
                                     // (call_filter/filter.h)
  uint64_t room[MPIPP_PASSAGE_ROOM]; // private: memory for the passage
} __attribute__((aligned(64)));

// The last completed call from one place in the program (recorder/threads/past_calls.h). It has the
// buffers of the call, and the members before them.
struct mpipp_past_call {
  uint64_t place;                      // the place; 0: not in use
  uint64_t serials[MPIPP_MAX_BUFFERS]; // serials of the buffers' datatypes; 0: unknown
  struct mpipp_call call;
};

// A line of Python that has called MPI. Where a record has the place of a call, this may be the
// address of such a line.
struct mpipp_python_place {
  uint64_t frame;   // address of the interpreter's frame
  uint64_t version; // Py_Version of CPython
  // Copies of the interpreter's memory that describe the line. Each piece has an address, its
  // length in bytes, and the content, rounded up to 8 bytes.
  uint64_t pieces, bytes;
  // Private: the key of the line, the next record in its bucket, and whether the line is in mpi4py
  // itself.
  uint64_t code, instruction, file, function, lines;
  uint64_t chain, passed_over;
};

#endif
