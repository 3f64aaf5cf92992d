// SPDX-License-Identifier: MIT
#ifndef MPIPP_INTERCEPT_FILTER_HOOK_H
#define MPIPP_INTERCEPT_FILTER_HOOK_H

// Called when the watcher is connected.
void mpipp_intercept_filter_open(void);

#endif
