// SPDX-License-Identifier: MIT
// The last message of a process that a signal is about to kill. The watcher then reads its stack.
#ifndef MPIPP_WATCHER_CLIENT_DYING_H
#define MPIPP_WATCHER_CLIENT_DYING_H

#include "abi/seam.h"
#include "watcher_client/messages.h"

// Sends the message on a connection of its own, and waits for the watcher, at most patience_ms.
// Signal handlers may call it.
MPIPP_SEAM void mpipp_watcher_report_dying(struct mpipp_dying *dying, int patience_ms);

#endif
