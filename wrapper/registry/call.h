// SPDX-License-Identifier: MIT
// One call: its buffers, arrays and further arguments (part of records.h).
#ifndef MPIPP_REGISTRY_CALL_H
#define MPIPP_REGISTRY_CALL_H

#include <stdint.h>

enum {
  MPIPP_MAX_BUFFERS = 4, // origin, compare, result, target
  MPIPP_MAX_VECTORS = 2, // send and receive side of a v or w form
};

// How a buffer is used by the call's process.
enum mpipp_access {
  MPIPP_READS = 1,
  MPIPP_WRITES = 2,
  MPIPP_REMOTE = 4, // the target side of a one-sided call: address is a displacement
  MPIPP_STALE = 8,  // its datatype had been freed when the call began
};

struct mpipp_buffer {
  uint64_t address;
  int64_t count;     // entries of datatype (of each peer, if peers > 1)
  int64_t peers;     // how often count is repeated: peers of a collective call, or partitions
  uint64_t datatype; // handle
  uint64_t record;   // address of the datatype's record, 0 if unknown
  uint32_t access;   // enum "access", a set of bits
  uint32_t vector;   // 0, or 1 + index of the vector that replaces count (v and w forms)
  uint64_t role;     // the parameter's name in the standard, a C string
};

// The array arguments of one side of a v or w form.
struct mpipp_vector {
  uint64_t length;                           // number of peers
  uint64_t counts, displacements, datatypes; // addresses of arrays; 0 if the form has none
  uint32_t count_size, displacement_size;    // bytes of one array element
  uint64_t records; // addresses of the datatypes' records, u64[length]; 0 if not copied
};

enum mpipp_shape {
  MPIPP_SHAPE_ARRAY,
  MPIPP_SHAPE_NUMBER,
  MPIPP_SHAPE_HANDLE,
  MPIPP_SHAPE_TEXT, // a C string
};

// An argument of a datatype constructor, or a further one of another procedure: count integers of
// size bytes. A count of -1: it follows from other arguments, which are not read here.
struct mpipp_input {
  const void *values;
  int64_t count;
  uint32_t size;
  uint32_t shape; // enum "shape"; for constructors the combiner implies it
  uint64_t name;  // the parameter's name in the standard, a C string; for constructors 0
};

// The valid ones among the scalar fields of a call.
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
  MPIPP_HAS_VECTORS = 8192,     // private: some buffer has array arguments
  MPIPP_HAS_UNKNOWN = 1 << 30,  // private: some buffer's datatype has no record, or a freed one
  MPIPP_HAS_GIVEN_UP = 1 << 29, // private: it frees or cancels a request
  MPIPP_HAS_BUFFERED = 1 << 28, // private: it sends in buffered mode
  MPIPP_HAS_DROPPED = 1 << 27,  // private: a hook has dropped it, it never was
  MPIPP_HAS_ORDINAL = 16384,
  MPIPP_HAS_RECV_ORDINAL = 32768,
  MPIPP_HAS_CONSTRUCTOR = 65536,
  MPIPP_HAS_ERRORCODE = 131072,
  MPIPP_HAS_ARGUMENTS = 262144, // inputs that have names
  MPIPP_HAS_COUNTS = 524288,    // of a reduce-scatter, in the first of the vectors
  MPIPP_HAS_AGAIN = 1048576,    // MPI was initialized, or finalized, before this call does it
  MPIPP_HAS_STARTS = 2097152,   // private: its request is started by further calls
  MPIPP_HAS_TYPES = 4194304,    // `types`, of no constructor: a file's view is made of them
  // For a call in a history that made a persistent request: MPI_Start, or MPI_Startall, started it.
  MPIPP_HAS_STARTED = 8388608,
  MPIPP_HAS_STARTED_ALL = 16777216,
  // the members before the second buffer in the record
  MPIPP_HAS_FIRST = MPIPP_HAS_COMM | MPIPP_HAS_DEST | MPIPP_HAS_SOURCE | MPIPP_HAS_TAG |
                    MPIPP_HAS_REQUESTS | MPIPP_HAS_ORDINAL | MPIPP_HAS_STARTS | MPIPP_HAS_BUFFERED,
};

enum mpipp_call_state { MPIPP_CALL_NONE, MPIPP_CALL_ACTIVE }; // active: recorded completely

// One intercepted call, decoded. The hook interface (intercept/hooks.h) passes it on, and the
// debugger reads it as the active call of a thread. A pending request keeps a copy: the members
// that most requests need come first, from `procedure` on in two whole cache lines of the request.
struct mpipp_call {
  uint32_t state; // enum "call_state"
  uint32_t padding;
  // private: the range [low, high) of its buffers, if the call filter has checked it. In a request
  // it is beside the state: other calls read both, and no other members.
  uint64_t low, high;
  uint64_t serial;       // numbers the calls of a thread from 1
  uint64_t frame;        // frame address of the intercepting function: callers are above
  uint16_t procedure;    // index into the table of procedures; with the next two one store
  uint16_t buffer_count; // of `buffers`
  uint32_t present;      // enum "present", a set of bits
  uint64_t caller;       // return address
  uint64_t comm;         // handle
  int64_t dest, source, tag;
  uint64_t requests; // address of the request handles
  int64_t request_count;
  uint64_t ordinal; // in its channel (channels.h), for a collective call on its communicator
  struct mpipp_buffer buffers[MPIPP_MAX_BUFFERS];
  uint64_t op, win, file, message; // handles
  int64_t recvtag, root, target_rank, offset;
  uint64_t recv_ordinal; // of the receive of a send-receive
  struct mpipp_vector vectors[MPIPP_MAX_VECTORS];
  int64_t errorcode; // of MPI_Abort
  // A datatype constructor's arguments, or further ones of another procedure, in the caller's
  // memory: only while it is active.
  uint64_t inputs;                // struct mpipp_input[input_count]
  uint64_t types;                 // address of datatype handles, type_count of them
  int64_t type_count;             // as the caller says
  uint32_t combiner, input_count; // enum "combiner": NAMED if no datatype is made (MPI_Type_commit)
  // The request handles as they were when MPI_Waitany, MPI_Waitsome or MPI_Request_free was called;
  // otherwise not valid.
  uint64_t before;
  // Address where MPI stores a status, or an array of them, as the program passes it; valid of the
  // procedures that have such an argument.
  uint64_t statuses;
};

#endif
