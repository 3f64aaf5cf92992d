// SPDX-License-Identifier: MIT
// Reads the entries of a process's RMA log.
#ifndef MPIPP_RMA_SCREEN_LOG_READER_H
#define MPIPP_RMA_SCREEN_LOG_READER_H

#include "rma_screen/state.h"

enum { MPIPP_SCREEN_MOST_WORDS = 1 << 12 }; // words of an entry that another one may resemble

// Reads the next entry, with all its words. Returns 0 at the end of the log.
int mpipp_screen_read(struct mpipp_screen_state *s, struct mpipp_screen_process *p);

#endif
