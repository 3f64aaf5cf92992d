// SPDX-License-Identifier: MIT
// Screens the RMA logs of all processes of a run. The watcher loads this
// library, not the program. It reports whether the logs certainly have no
// findings. Otherwise the engine in Python (mpipp/analysis/rma_engine), which is
// the specification, analyses them. If the only suspicious events are conflicting
// accesses, the library selects the entries that the engine needs to find them.
#ifndef MPIPP_RMA_SCREEN_SCREEN_H
#define MPIPP_RMA_SCREEN_SCREEN_H

#include <stdint.h>

// The log of one process: its words, and the process's rank in MPI_COMM_WORLD.
// `selected` has a byte for each of the `entries`, which the screen sets to 1 if the
// engine needs the entry. It is NULL if the caller wants no selection.
struct mpipp_screen_log {
  const uint64_t *words;
  uint64_t count, rank;
  uint8_t *selected;
  uint64_t entries;
};

// The questions that only the reader of the records can answer. Each returns 0
// for an answer, in `out`.
enum mpipp_screen_question {
  // a datatype's record, and a count. Answers: the first displacement, length, stride and number of
  // blocks; 1 if these are all bytes, not only their bounds; 1 if some bytes repeat
  MPIPP_SCREEN_MEMORY,
  MPIPP_SCREEN_BASIC,     // a datatype's record: a number for its basic datatype,
                          // and its bytes
  MPIPP_SCREEN_OP,        // the handle of a reduction operation: a number for its name
  MPIPP_SCREEN_PROCEDURE, // a procedure's number: enum mpipp_screen_procedure
  MPIPP_SCREEN_WINDOW,    // flavor and model: 1 if the program allocates the
                          // memory
  MPIPP_SCREEN_PROGRESS,  // the number of words that were read since the last
                          // time
  // No question: an entry that was not selected uses a flag. `out` has the serial of the window,
  // the rank of the memory's owner in MPI_COMM_WORLD, and enum mpipp_screen_flag and
  // mpipp_screen_use.
  MPIPP_SCREEN_FLAG_USE,
};

// The flags of mpipp/analysis/rma_engine/flag_order.py that the screen knows, and their uses.
enum mpipp_screen_flag { MPIPP_SCREEN_ATOMIC, MPIPP_SCREEN_LOCKED };
enum mpipp_screen_use { MPIPP_SCREEN_SUSPECTED, MPIPP_SCREEN_READ, MPIPP_SCREEN_WRITTEN };

// The entries of a turn of the engine.
enum { MPIPP_SCREEN_TURN = 256 };

// The result if findings are possible, but the engine needs only the selected entries.
enum { MPIPP_SCREEN_SELECTED = -1 };

// The numbers of the operations MPI_NO_OP and MPI_REPLACE.
enum { MPIPP_SCREEN_NO_OP = 1, MPIPP_SCREEN_REPLACE = 2 };

// The procedures that the screen distinguishes.
enum mpipp_screen_procedure {
  MPIPP_SCREEN_OTHER, // a collective call in which all processes receive data
                      // from all
  MPIPP_SCREEN_PUT,
  MPIPP_SCREEN_GET,
  MPIPP_SCREEN_ACCUMULATE,
  MPIPP_SCREEN_GET_ACCUMULATE,
  MPIPP_SCREEN_FETCH_AND_OP,
  MPIPP_SCREEN_COMPARE_AND_SWAP,
  MPIPP_SCREEN_FENCE,
  MPIPP_SCREEN_LOCK,
  MPIPP_SCREEN_LOCK_ALL,
  MPIPP_SCREEN_UNLOCK,
  MPIPP_SCREEN_UNLOCK_ALL,
  MPIPP_SCREEN_FLUSH,
  MPIPP_SCREEN_FLUSH_ALL,
  MPIPP_SCREEN_FLUSH_LOCAL,
  MPIPP_SCREEN_FLUSH_LOCAL_ALL,
  MPIPP_SCREEN_SYNC,
  MPIPP_SCREEN_FREE,
  MPIPP_SCREEN_START,
  MPIPP_SCREEN_COMPLETE,
  MPIPP_SCREEN_POST,
  MPIPP_SCREEN_WAIT,
  MPIPP_SCREEN_FROM_ROOT,
  MPIPP_SCREEN_TO_ROOT,
  MPIPP_SCREEN_PREFIX,
  MPIPP_SCREEN_FOR_NOBODY, // a collective call in which a process need not wait
                           // for others
  MPIPP_SCREEN_UNKNOWN,
};

// Added to the number of a procedure such as MPI_Rput.
enum { MPIPP_SCREEN_WITH_REQUEST = 1 << 8 };

enum { MPIPP_SCREEN_ANSWERS = 6 };

typedef int (*mpipp_screen_ask)(int question, uint64_t log, uint64_t one, uint64_t other,
                                int64_t out[MPIPP_SCREEN_ANSWERS]);

// Returns 0 if the logs certainly have no findings, or MPIPP_SCREEN_SELECTED. Otherwise
// returns a number that identifies the reason.
int mpipp_rma_screen(const struct mpipp_screen_log *logs, uint64_t number, mpipp_screen_ask ask);

#endif
