// SPDX-License-Identifier: MIT
#ifndef MPIPP_INTERCEPT_STOP_AT_H
#define MPIPP_INTERCEPT_STOP_AT_H

// Once the watcher is connected: with MPIPP_STOP_AT, ordinals with commas, 0 for any.
void mpipp_intercept_stop_at_open(void);

#endif
