// SPDX-License-Identifier: MIT
// The messages of a process to its watcher. Python reads them according to generated/layouts.h.
#ifndef MPIPP_WATCHER_CLIENT_MESSAGES_H
#define MPIPP_WATCHER_CLIENT_MESSAGES_H

#include <stdint.h>

#include "generated/layouts.h"

// "MPIPPHI": this process is to be watched. The file of its records' memory comes with it.
struct mpipp_hello {
  char magic[8];
  uint32_t version, bytes;
  uint64_t pid, root; // address of the registry
  uint64_t arena;     // offset of struct mpipp_arena in the file
  uint64_t base;      // address of the file's beginning
  uint64_t strict;    // 1: it compares collective calls before they begin (collective_precheck/)
};
MPIPP_LAYOUT(mpipp_hello);

// "MPIPPEND": it ends; "MPIPPASK" and similar: it has a query.
struct mpipp_notice {
  char magic[8];
  uint64_t end; // enum mpipp_end, or the address of a query
};
MPIPP_LAYOUT(mpipp_notice);

// A collective call that is to be compared with those of other processes ("MPIPPDIF", "MPIPPALL",
// "MPIPPNOW"), or an access to a buffer ("MPIPPTCH"). It has a connection of its own.
struct mpipp_disagreeing {
  char magic[8];
  uint64_t pid, tid; // of the call
  // Equal in all its processes, and different for other calls; 0: it cannot be compared, no process
  // waits.
  uint64_t number;
  uint64_t identity;  // of the communicator, 0 if it has none
  uint32_t here;      // number of its processes on this node
  uint32_t processes; // number of all
};
MPIPP_LAYOUT(mpipp_disagreeing);

// "MPIPPSIG": a signal is about to kill this process, or it exits; it waits until its stack is
// read. It has a connection of its own.
struct mpipp_dying {
  char magic[8];
  uint64_t pid, tid;
  uint64_t instruction, stack, base; // registers of the thread; 0: unknown
  uint64_t address;                  // that it accessed, if access says so
  uint32_t signal, access;           // 0: it exits; enum mpipp_fatal_access
  int64_t code;                      // si_code
};
MPIPP_LAYOUT(mpipp_dying);

enum mpipp_fatal_access {
  MPIPP_FATAL_NO_ACCESS, // the signal is about something else, or its address is unknown
  MPIPP_FATAL_LOAD,
  MPIPP_FATAL_STORE,
  MPIPP_FATAL_FETCH, // of an instruction
  MPIPP_FATAL_SOME,  // the processor does not say which
};

#endif
