// SPDX-License-Identifier: MIT
// The entries of the log of operations on windows, and of events that order them (rma_log/log.h).
// They are in pages like those of the ledger.
#ifndef MPIPP_REGISTRY_RMA_LOG_ENTRY_H
#define MPIPP_REGISTRY_RMA_LOG_ENTRY_H

#include <stdint.h>

// The kinds of entries, and their words. Each entry begins with MPIPP_LOG_HEAD and the place. Then
// follow the words of its kind, listed here, unless the entry has MPIPP_LOG_LIKE. A frame is the
// call's position on its thread's stack: live objects have higher addresses; 0: not certain.
enum mpipp_logged {
  // a communicator: identity, bits (MPIPP_LOG_INTER, MPIPP_LOG_RACES), own rank, size, remote size.
  // Then 0, or ranks in MPI_COMM_WORLD; with 0, these equal the ranks
  MPIPP_LOGGED_COMM = 1,
  // a window: serial, identity, base, size, unit, flavor, model, own rank, the communicator's
  // identity, bits of enum mpipp_log_hints, frame
  MPIPP_LOGGED_WINDOW,
  MPIPP_LOGGED_FREED,  // a freed window: serial, frame
  MPIPP_LOGGED_MEMORY, // memory was attached or detached: the window's serial, address, bytes,
                       // frame
  // an operation on a window: the window's serial, target rank, handle of the reduction operation,
  // request, frame. Then for each buffer its address, count and datatype's record. An atomic
  // operation on at most 8 bytes also has: this number of bytes | bits of enum mpipp_log_values,
  // the value passed, the value compared with
  MPIPP_LOGGED_OPERATION,
  // a synchronizing call: the window's serial, rank or -1, bits of enum mpipp_log_assertions,
  // frame, members (mpipp_log_members)
  MPIPP_LOGGED_SYNCHRONIZATION,
  // a send: the communicator's identity, world rank, tag, ordinal, request, bits of enum
  // mpipp_log_bits
  MPIPP_LOGGED_SEND,
  // a receive: the communicator's identity, world rank and tag as posted, request, bits, world rank
  // and tag as received
  MPIPP_LOGGED_RECEIVE,
  // a collective call: the communicator's identity, ordinal, the root's world rank or -1, request,
  // bits. With MPIPP_LOG_SOME also the world ranks that this process receives from.
  MPIPP_LOGGED_COLLECTIVE,
  MPIPP_LOGGED_STARTED, // a persistent request was started: the request, ordinal
  MPIPP_LOGGED_MATCHED, // a receive of a matched message: the request, the message
  // an operation with a request is complete: the request, world rank and tag of the received
  // message, bits; for operations on windows also the frame
  MPIPP_LOGGED_COMPLETED,
  MPIPP_LOGGED_GIVEN_UP, // an active request was freed: the request
  // loads or stores: 1 for stores, plus 2 if the memory is never freed, the first address, bytes of
  // each, stride, number, repetitions
  MPIPP_LOGGED_ACCESS,
  MPIPP_LOGGED_ENDED,   // MPI_Finalize was called: frame
  MPIPP_LOGGED_UNKNOWN, // an event whose effect on the order is unknown
  MPIPP_LOGGED_INFO,    // the info of a window was set: serial, bits of enum mpipp_log_hints
  // the value that an atomic operation has returned: the number of its entry, the value, 1 if it is
  // known
  MPIPP_LOGGED_VALUE,
  // a partitioned request was created: the communicator's identity, world rank, tag, ordinal,
  // request, MPIPP_LOG_SENDS or MPIPP_LOG_TAKES, number of partitions
  MPIPP_LOGGED_PARTITIONED,
  MPIPP_LOGGED_PARTITIONS, // partitions were marked ready, or have arrived: the request, the first
                           // one, their number
  MPIPP_LOGGED_GIVEN_BACK, // memory was freed: address, bytes
  // order between this process and another MPI_COMM_WORLD, when a request is complete: request,
  // bits. MPIPP_LOG_SENDS: this process comes before processes there. MPIPP_LOG_TAKES: processes
  // there come before this one
  MPIPP_LOGGED_ELSEWHERE,
  // a part of a shared-memory window: the window's serial, the owner's rank in the window's group,
  // the part's address in this process, bytes
  MPIPP_LOGGED_SEGMENT,
  // Order of the process's threads (thread_order/sync_objects.h). Other kinds stand before these.
  MPIPP_LOGGED_THREADS,  // a second thread begins: bits of enum mpipp_log_threads
  MPIPP_LOGGED_RELEASED, // a thread passes its order to an object: the object's number, 1 if the
                         // thread ends or rests
  MPIPP_LOGGED_ACQUIRED, // a thread takes the order that others passed to an object: its number
};

// The knowledge of the order of threads. Without MPIPP_LOG_OBSERVED it is unknown.
enum mpipp_log_threads {
  MPIPP_LOG_OBSERVED = 1, // the log has the order by calls
  MPIPP_LOG_ATOMICS = 2,  // it also has the order by atomic operations
};

enum mpipp_log_bits {
  MPIPP_LOG_SYNCHRONOUS = 1, // a synchronous send: it completes only when the receive has started
  MPIPP_LOG_PERSISTENT = 2,  // a persistent request: the operation begins when it is started
  MPIPP_LOG_SENDS = 4,       // the process sends data in a collective call
  MPIPP_LOG_TAKES = 8,
  MPIPP_LOG_CANCELLED = 16,
  MPIPP_LOG_PROBES = 32, // a probe: the message is received later
  MPIPP_LOG_SOME = 64,   // the process receives data only from the ranks that follow
  MPIPP_LOG_INTER = 128, // an intercommunicator
  MPIPP_LOG_RACES = 256, // the run checks for races of messages
};

// The info keys of a window: which ones were passed, and their values.
enum mpipp_log_hints {
  MPIPP_LOG_HAS_OPS = 1,
  MPIPP_LOG_SAME_OP = 2,
  MPIPP_LOG_HAS_ORDERING = 4,
  MPIPP_LOG_RAR = 8, // MPI keeps the order of a read after a read
  MPIPP_LOG_RAW = 16,
  MPIPP_LOG_WAR = 32,
  MPIPP_LOG_WAW = 64,
  MPIPP_LOG_HAS_LOCKS = 128,
  MPIPP_LOG_NO_LOCKS = 256,
};

// The assertions of synchronizing calls, since MPI libraries have different values for them; and
// other bits.
enum mpipp_log_assertions {
  MPIPP_LOG_NO_CHECK = 1,
  MPIPP_LOG_NO_STORE = 2,
  MPIPP_LOG_NO_PUT = 4,
  MPIPP_LOG_NO_PRECEDE = 8,
  MPIPP_LOG_NO_SUCCEED = 16,
  MPIPP_LOG_EXCLUSIVE = 32,
  // The call begins, and seems to be wrong: MPI may return an error, end the process, or wait
  // forever.
  MPIPP_LOG_ATTEMPT = 64,
};

// Bits for the values of an atomic operation.
enum mpipp_log_values {
  MPIPP_LOG_GIVEN = 1 << 8,   // the value that the operation passes is known
  MPIPP_LOG_FOLLOWS = 1 << 9, // a later entry has the value that the operation has returned
};

// Values in place of a rank or a tag: a wildcard, and an unknown one.
#define MPIPP_LOG_ANY (~(uint64_t)1)
#define MPIPP_LOG_NOT_KNOWN (~(uint64_t)0)
// Added to the number of a message that a matching probe took, where a request's number may stand.
#define MPIPP_LOG_MESSAGE ((uint64_t)1 << 62)

#define MPIPP_LOG_HEAD(KIND, WORDS, PROCEDURE, THREAD)                                             \
  ((uint64_t)(KIND) | (uint64_t)(WORDS) << 8 | (uint64_t)(PROCEDURE) << 32 |                       \
   (uint64_t)(uint16_t)(THREAD) << 48)
enum { MPIPP_LOG_FIRST = 2 }; // number of words before those of the kind
enum { MPIPP_LOG_KIND = 0xff };

// Marks an entry that equals an earlier one of the same procedure, thread and place in most words.
// Beside the kind, its first word has the number of words, and the number of the earlier entry
// among those with all words. That first word also has a bit for each word that differs, starting
// with the first word of the kind. Then those words follow, or only their differences: two in a
// word, as signed numbers of 32 bits, the first one in the lower half.
#define MPIPP_LOG_IS_LIKE ((uint64_t)0x80)
#define MPIPP_LOG_IS_NARROW ((uint64_t)0x40)
#define MPIPP_LOG_LIKE(KIND, WORDS, CHANGED, WHOLE)                                                \
  ((KIND) | MPIPP_LOG_IS_LIKE | (WORDS) << 8 | (CHANGED) << 16 | (WHOLE) << 40)
#define MPIPP_LOG_LIKE_WORDS(HEAD) ((HEAD) >> 8 & 0xff)
#define MPIPP_LOG_CHANGED(HEAD) ((HEAD) >> 16 & 0xffffff)
enum { MPIPP_LOG_MOST_CHANGED = 24, MPIPP_LOG_MOST_WHOLES = 1 << 24 };
// The index of the first word of an operation that identifies a datatype. From that word on, each
// third word identifies a datatype; these words never differ.
enum { MPIPP_LOG_RECORD = 7 };
// The index of the first buffer in an operation, and the words of each buffer: address, count,
// datatype.
enum { MPIPP_LOG_BUFFERS = 5, MPIPP_LOG_EACH = 3 };

#endif
