// SPDX-License-Identifier: MIT
#ifndef MPIPP_INTERCEPT_STOP_AT_H
#define MPIPP_INTERCEPT_STOP_AT_H

// Adds the hook if MPIPP_STOP_AT is set: ordinals, separated by commas; 0 for any. Call it when the
// watcher is connected.
void mpipp_intercept_stop_at_open(void);

#endif
