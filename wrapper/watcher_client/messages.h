// SPDX-License-Identifier: MIT
// The messages that a process sends to its watcher. Python reads them by the layouts in
// generated/layouts.h.
#ifndef MPIPP_WATCHER_CLIENT_MESSAGES_H
#define MPIPP_WATCHER_CLIENT_MESSAGES_H

#include <stdint.h>

#include "generated/layouts.h"

// "MPIPPHI": asks the watcher to watch this process. The file with its records comes with the
// message.
struct mpipp_hello {
  char magic[8];
  uint32_t version, bytes;
  uint64_t pid, root; // root: address of the registry
  uint64_t arena;     // offset of the struct mpipp_arena in the file
  uint64_t base;      // address in the process at which the file begins
  uint64_t strict;    // 1: the process compares collective calls before they begin
                      // (collective_precheck/)
};
MPIPP_LAYOUT(mpipp_hello);

// "MPIPPEND": the process ends. "MPIPPEXT": the process exits now. "MPIPPASK" and similar: the
// process has a query.
struct mpipp_notice {
  char magic[8];
  uint64_t end; // enum mpipp_end; or the address of a query
};
MPIPP_LAYOUT(mpipp_notice);

// A collective call to be compared with those of other processes ("MPIPPDIF", "MPIPPALL",
// "MPIPPNOW"), or an access to a buffer ("MPIPPTCH"). This message is sent on a connection of its
// own.
struct mpipp_disagreeing {
  char magic[8];
  uint64_t pid, tid; // the thread that makes the call
  // A number that is equal in all processes of the call, and different for other calls. 0: the call
  // cannot be compared, and no process waits.
  uint64_t number;
  uint64_t identity;  // identity of the communicator; 0 if it has none
  uint32_t here;      // number of the call's processes on this node
  uint32_t processes; // number of all processes of the call
};
MPIPP_LAYOUT(mpipp_disagreeing);

// "MPIPPSIG": a signal is about to kill this process, or it exits. The process waits until the
// watcher has read its stack. The message has a connection of its own.
struct mpipp_dying {
  char magic[8];
  uint64_t pid, tid;
  uint64_t instruction, stack, base; // registers of the thread: instruction pointer, stack pointer,
                                     // frame pointer; 0: unknown
  uint64_t address; // the address that the process accessed; valid if `access` shows an access
  uint32_t signal, access; // signal: its number, 0 if the process exits; access: enum
                           // mpipp_fatal_access
  int64_t code;            // si_code of the signal
};
MPIPP_LAYOUT(mpipp_dying);

enum mpipp_fatal_access {
  MPIPP_FATAL_NO_ACCESS, // the signal has another cause, or the address is unknown
  MPIPP_FATAL_LOAD,
  MPIPP_FATAL_STORE,
  MPIPP_FATAL_FETCH, // an instruction was fetched
  MPIPP_FATAL_SOME,  // the processor does not show whether it was a load or a store
};

#endif
