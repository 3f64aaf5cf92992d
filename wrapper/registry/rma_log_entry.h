// SPDX-License-Identifier: MIT
// The log of operations on windows and of their order (rma_log/log.h): entry after entry, in pages
// like those of the ledger.
#ifndef MPIPP_REGISTRY_RMA_LOG_ENTRY_H
#define MPIPP_REGISTRY_RMA_LOG_ENTRY_H

#include <stdint.h>

// Words of all entries: MPIPP_LOG_HEAD, the place; then those of each kind, except with
// MPIPP_LOG_LIKE. A frame is the call's position on its thread's stack: live objects are above. 0:
// that is not certain.
enum mpipp_logged {
  // identity, 1 for an intercommunicator, own rank, size, remote size, then 0 or ranks in
  // MPI_COMM_WORLD. If there are none, they are equal to the ranks
  MPIPP_LOGGED_COMM = 1,
  // serial, identity, base, size, unit, flavor, model, own rank, the communicator's identity, bits
  // of enum mpipp_log_hints, frame
  MPIPP_LOGGED_WINDOW,
  MPIPP_LOGGED_FREED,  // of a window: serial, frame
  MPIPP_LOGGED_MEMORY, // attached or detached: serial, address, bytes, frame
  // window's serial, target's rank, operation's handle, request, frame; for each buffer address,
  // count and datatype's record. For an atomic operation on at most 8 bytes: their number | bits of
  // enum mpipp_log_values, the value passed, the value compared with
  MPIPP_LOGGED_OPERATION,
  // window's serial, rank or -1, bits of enum mpipp_log_assertions, frame, members
  // (mpipp_log_members)
  MPIPP_LOGGED_SYNCHRONIZATION,
  // communicator's identity, world rank, tag, ordinal, request, bits of enum mpipp_log_bits
  MPIPP_LOGGED_SEND,
  // identity, world rank and tag as posted, request, bits, world rank and tag as received
  MPIPP_LOGGED_RECEIVE,
  // identity, ordinal, the root's world rank or -1, request, bits, then world ranks
  // (MPIPP_LOG_SOME)
  MPIPP_LOGGED_COLLECTIVE,
  MPIPP_LOGGED_STARTED, // a persistent request, ordinal
  MPIPP_LOGGED_MATCHED, // request that receives a message, that message
  // request, world rank and tag of the received message, bits; for an operation on a window its
  // frame
  MPIPP_LOGGED_COMPLETED,
  MPIPP_LOGGED_GIVEN_UP, // request that was freed
  MPIPP_LOGGED_ACCESS,   // 1: stores, first address, bytes of each, stride, number, times
  MPIPP_LOGGED_ENDED,    // MPI_Finalize: frame
  MPIPP_LOGGED_UNKNOWN,  // an unknown event that orders
  MPIPP_LOGGED_INFO,     // of a window: serial, bits of enum mpipp_log_hints
  // the value that an operation has returned: the number of its entry, the value, 1 if it is known
  MPIPP_LOGGED_VALUE,
  // a partitioned send or receive is made: communicator's identity, world rank, tag, ordinal,
  // request, MPIPP_LOG_SENDS or MPIPP_LOG_TAKES, number of partitions
  MPIPP_LOGGED_PARTITIONED,
  MPIPP_LOGGED_PARTITIONS, // ready, or have arrived: request, the first, number
  MPIPP_LOGGED_GIVEN_BACK, // memory, in free and similar: address, bytes
  // order with another MPI_COMM_WORLD: this process before some there (MPIPP_LOG_SENDS), or some
  // there before it (MPIPP_LOG_TAKES), when a request is complete: request, bits
  MPIPP_LOGGED_ELSEWHERE,
  // of a window of shared memory: serial, another's rank in its group, this process's address of
  // that part, bytes
  MPIPP_LOGGED_SEGMENT,
};

enum mpipp_log_bits {
  MPIPP_LOG_SYNCHRONOUS = 1, // a send that completes when it is received
  MPIPP_LOG_PERSISTENT = 2,  // begins when it is started
  MPIPP_LOG_SENDS = 4,       // a collective call that sends data, and that takes data
  MPIPP_LOG_TAKES = 8,
  MPIPP_LOG_CANCELLED = 16,
  MPIPP_LOG_PROBES = 32, // a message that was seen, and is received later
  MPIPP_LOG_SOME = 64,   // takes data only from the ranks that follow
};

// The info keys of a window: those that were passed, and their values.
enum mpipp_log_hints {
  MPIPP_LOG_HAS_OPS = 1,
  MPIPP_LOG_SAME_OP = 2,
  MPIPP_LOG_HAS_ORDERING = 4,
  MPIPP_LOG_RAR = 8, // kept in order
  MPIPP_LOG_RAW = 16,
  MPIPP_LOG_WAR = 32,
  MPIPP_LOG_WAW = 64,
  MPIPP_LOG_HAS_LOCKS = 128,
  MPIPP_LOG_NO_LOCKS = 256,
};

// The assertions of a call that synchronizes, which MPI libraries number differently; and more.
enum mpipp_log_assertions {
  MPIPP_LOG_NO_CHECK = 1,
  MPIPP_LOG_NO_STORE = 2,
  MPIPP_LOG_NO_PUT = 4,
  MPIPP_LOG_NO_PRECEDE = 8,
  MPIPP_LOG_NO_SUCCEED = 16,
  MPIPP_LOG_EXCLUSIVE = 32,
  // It begins, and seems to be wrong: MPI may refuse it, end the process or wait forever.
  MPIPP_LOG_ATTEMPT = 64,
};

// For the values of an atomic operation.
enum mpipp_log_values {
  MPIPP_LOG_GIVEN = 1 << 8,   // the value that it passes is known
  MPIPP_LOG_FOLLOWS = 1 << 9, // a later entry has the value that it has returned
};

// In place of a rank or a tag: any; and an unknown one.
#define MPIPP_LOG_ANY (~(uint64_t)1)
#define MPIPP_LOG_NOT_KNOWN (~(uint64_t)0)
// A request that is a message which a matching probe took.
#define MPIPP_LOG_MESSAGE ((uint64_t)1 << 62)

#define MPIPP_LOG_HEAD(KIND, WORDS, PROCEDURE, THREAD)                                             \
  ((uint64_t)(KIND) | (uint64_t)(WORDS) << 8 | (uint64_t)(PROCEDURE) << 32 |                       \
   (uint64_t)(uint16_t)(THREAD) << 48)
enum { MPIPP_LOG_FIRST = 2 }; // words before those of a kind
enum { MPIPP_LOG_KIND = 0xff };

// An entry that is like an earlier one of the same procedure, thread and place. Beside the kind,
// its first word has the number of words, and the number of the earlier entry among the complete
// ones. It also has a bit for each word that differs, from the first of the kind on. Then those
// words follow. Or their differences, two in a word (signed numbers of 32 bits, the first one in
// the lower half).
#define MPIPP_LOG_IS_LIKE ((uint64_t)0x80)
#define MPIPP_LOG_IS_NARROW ((uint64_t)0x40)
#define MPIPP_LOG_LIKE(KIND, WORDS, CHANGED, WHOLE)                                                \
  ((KIND) | MPIPP_LOG_IS_LIKE | (WORDS) << 8 | (CHANGED) << 16 | (WHOLE) << 40)
#define MPIPP_LOG_LIKE_WORDS(HEAD) ((HEAD) >> 8 & 0xff)
#define MPIPP_LOG_CHANGED(HEAD) ((HEAD) >> 16 & 0xffffff)
enum { MPIPP_LOG_MOST_CHANGED = 24, MPIPP_LOG_MOST_WHOLES = 1 << 24 };
// The first word of an operation that stands for a datatype; there is one in three from there on,
// which never differ.
enum { MPIPP_LOG_RECORD = 7 };
// Where the buffers of an operation begin, and words of each: address, count, datatype.
enum { MPIPP_LOG_BUFFERS = 5, MPIPP_LOG_EACH = 3 };

#endif
