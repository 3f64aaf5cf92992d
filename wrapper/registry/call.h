// SPDX-License-Identifier: MIT
// The record of a call: its buffers, arrays and other arguments (part of records.h).
#ifndef MPIPP_REGISTRY_CALL_H
#define MPIPP_REGISTRY_CALL_H

#include <stdint.h>

enum {
  MPIPP_MAX_BUFFERS = 4, // origin, compare, result, target
  MPIPP_MAX_VECTORS = 2, // the send and receive sides of a v or w form
};

// How the process that makes the call uses a buffer.
enum mpipp_access {
  MPIPP_READS = 1,
  MPIPP_WRITES = 2,
  MPIPP_REMOTE = 4, // the target side of a one-sided call: `address` is a displacement
  MPIPP_STALE = 8,  // the datatype was already freed when the call began
};

struct mpipp_buffer {
  uint64_t address;
  int64_t count;     // number of entries (for each peer, if peers > 1)
  int64_t peers;     // number of times that count is repeated: peers of a collective call, or
                     // partitions
  uint64_t datatype; // the datatype's handle
  uint64_t record;   // address of the datatype's record, 0 if unknown
  uint32_t access;   // enum "access", a set of bits
  uint32_t vector;   // 0, or 1 + index of the vector that has the counts instead (v and w forms)
  uint64_t role;     // address of a C string: the parameter's name in the standard
};

// The array arguments of one side of a v or w form.
struct mpipp_vector {
  uint64_t length;                           // number of peers
  uint64_t counts, displacements, datatypes; // addresses of the arrays; 0 if the form does not have
                                             // the array
  uint32_t count_size, displacement_size;    // bytes of an array element
  uint64_t records; // address of u64[length], the addresses of the datatypes' records; 0 if not
                    // copied
};

enum mpipp_shape {
  MPIPP_SHAPE_ARRAY,
  MPIPP_SHAPE_NUMBER,
  MPIPP_SHAPE_HANDLE,
  MPIPP_SHAPE_TEXT,   // a C string
  MPIPP_SHAPE_RESULT, // an array in which MPI stores integers
};

// An argument of a datatype constructor, or a named argument of another procedure: `count` integers
// of `size` bytes. If count is -1, the number follows from other arguments, and readers must
// compute it.
struct mpipp_input {
  const void *values;
  int64_t count;
  uint32_t size;
  uint32_t shape; // enum "shape"; constructors do not set it, because the combiner implies it
  uint64_t name;  // address of a C string: the parameter's name in the standard; 0 for constructors
};

// Bits for the fields of a call that are valid.
enum mpipp_present {
  MPIPP_HAS_COMM = 1,
  MPIPP_HAS_DEST = 2,
  MPIPP_HAS_SOURCE = 4,
  MPIPP_HAS_TAG = 8,
  MPIPP_HAS_RECVTAG = 16,
  MPIPP_HAS_ROOT = 32,
  MPIPP_HAS_OP = 64,
  MPIPP_HAS_WIN = 128,
  MPIPP_HAS_TARGET_RANK = 256,
  MPIPP_HAS_REQUESTS = 512,
  MPIPP_HAS_FILE = 1024,
  MPIPP_HAS_OFFSET = 2048,
  MPIPP_HAS_MESSAGE = 4096,
  MPIPP_HAS_VECTORS = 8192,     // private: a buffer has array arguments
  MPIPP_HAS_UNKNOWN = 1 << 30,  // private: a buffer's datatype has no record, or was freed
  MPIPP_HAS_GIVEN_UP = 1 << 29, // private: it frees or cancels a request
  MPIPP_HAS_BUFFERED = 1 << 28, // private: a buffered send
  MPIPP_HAS_DROPPED = 1 << 27,  // private: a hook has dropped the call, as if it was never made
  MPIPP_HAS_ORDINAL = 16384,
  MPIPP_HAS_RECV_ORDINAL = 32768,
  MPIPP_HAS_CONSTRUCTOR = 65536,
  MPIPP_HAS_ERRORCODE = 131072,
  MPIPP_HAS_ARGUMENTS = 262144, // named arguments in `inputs`
  MPIPP_HAS_COUNTS = 524288,    // the first vector has the counts of a reduce-scatter
  MPIPP_HAS_AGAIN = 1048576,    // MPI was already initialized before MPI_Init, or finalized before
                                // MPI_Finalize or another procedure that needs MPI
  MPIPP_HAS_STARTS = 2097152,   // private: the request is started by later calls
  MPIPP_HAS_TYPES = 4194304,    // `types` is set by a call that is no constructor: a file's view
                                // consists of these datatypes
  // For a call in a history that made a persistent request: MPI_Start or MPI_Startall started the
  // operation.
  MPIPP_HAS_STARTED = 8388608,
  MPIPP_HAS_STARTED_ALL = 16777216,
  // bits for the members that precede the second buffer in the record
  MPIPP_HAS_FIRST = MPIPP_HAS_COMM | MPIPP_HAS_DEST | MPIPP_HAS_SOURCE | MPIPP_HAS_TAG |
                    MPIPP_HAS_REQUESTS | MPIPP_HAS_ORDINAL | MPIPP_HAS_STARTS | MPIPP_HAS_BUFFERED,
};

enum mpipp_call_state { MPIPP_CALL_NONE, MPIPP_CALL_ACTIVE }; // ACTIVE: the record is complete

// An intercepted call, decoded. Hooks get it (intercept/hooks.h), and the debugger reads it as the
// active call of a thread. A pending request keeps a copy. The members that most requests need come
// first: from `procedure` on, they fill exactly two cache lines of the request's record.
struct mpipp_call {
  uint32_t state; // enum "call_state"
  uint32_t padding;
  // Private: the range [low, high) of its buffers, if the call filter has checked the call. In a
  // request, it is in one cache line with the state, because other calls read only these.
  uint64_t low, high;
  uint64_t serial;       // numbers the calls of each thread from 1
  uint64_t frame;        // frame address of the intercepting function; callers' frames have higher
                         // addresses
  uint16_t procedure;    // index into the table of procedures; written together with the next two
                         // members
  uint16_t buffer_count; // number of entries in `buffers`
  uint32_t present;      // enum "present", a set of bits
  uint64_t caller;       // return address
  uint64_t comm;         // handle of the communicator
  int64_t dest, source, tag;
  uint64_t requests; // address of the array of request handles
  int64_t request_count;
  uint64_t ordinal; // ordinal in its channel (channels.h); for a collective call, on its
                    // communicator
  struct mpipp_buffer buffers[MPIPP_MAX_BUFFERS];
  uint64_t op, win, file, message; // handles of the operation, window, file and message
  int64_t recvtag, root, target_rank, offset;
  uint64_t recv_ordinal; // ordinal of the receive in a send-receive
  struct mpipp_vector vectors[MPIPP_MAX_VECTORS];
  int64_t errorcode; // argument of MPI_Abort
  // The arguments of a datatype constructor, or the named arguments of another procedure. The
  // arguments are in the caller's memory, so they are valid only while the call is active.
  uint64_t inputs;                // address of struct mpipp_input[input_count]
  uint64_t types;                 // address of type_count datatype handles
  int64_t type_count;             // as passed by the caller, not checked
  uint32_t combiner, input_count; // combiner: enum "combiner", NAMED if the call creates no
                                  // datatype (MPI_Type_commit)
  // Address of the request handles as they were before MPI_Waitany, MPI_Waitsome or
  // MPI_Request_free. Valid only for these procedures.
  uint64_t before;
  // Address of the status, or of the array of statuses, as the program passes it. Valid only for
  // procedures with such an argument.
  uint64_t statuses;
  // Address of the array in which MPI stores the indices of completed requests. Valid only for
  // MPI_Waitsome, MPI_Testsome and MPI_Request_get_status_some.
  uint64_t indices;
};

// The stack of a call: its place with the callers (registry/stack_places.h). Where a record has the
// place of a call, this may be the address of such a stack.
struct mpipp_stack_place {
  uint64_t caller; // return address of the call
  uint64_t frames; // address of the number of return addresses, followed by these; the first one is
                   // the caller
  uint64_t hash, chain; // private: hash, and the next record in its bucket
};

#endif
