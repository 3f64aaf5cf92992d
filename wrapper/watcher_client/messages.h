// SPDX-License-Identifier: MIT
// What a process sends to its watcher. Python reads it as generated/layouts.h says.
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
  uint64_t strict;    // 1: it compares calls before they begin (collective_precheck/)
};
MPIPP_LAYOUT(mpipp_hello);

// "MPIPPEND": it ends; "MPIPPASK" and its like: it has a question.
struct mpipp_notice {
  char magic[8];
  uint64_t end; // enum mpipp_end, or the address of a question
};
MPIPP_LAYOUT(mpipp_notice);

// A collective call that is to be compared with those of other processes, on a connection of its
// own ("MPIPPDIF", "MPIPPALL", "MPIPPNOW"); or a buffer that is touched ("MPIPPTCH").
struct mpipp_disagreeing {
  char magic[8];
  uint64_t pid, tid; // of the call
  // The same in all its processes, and of no other call; 0: it cannot be compared, nobody waits.
  uint64_t number;
  uint64_t identity;  // of the communicator, 0 if it has none
  uint32_t here;      // how many of its processes are on this node
  uint32_t processes; // in all
};
MPIPP_LAYOUT(mpipp_disagreeing);

#endif
