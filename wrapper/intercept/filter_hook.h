// SPDX-License-Identifier: MIT
#ifndef MPIPP_INTERCEPT_FILTER_HOOK_H
#define MPIPP_INTERCEPT_FILTER_HOOK_H

// Once the watcher is connected; and in the child of a fork, which is not watched.
void mpipp_intercept_filter_open(void);
void mpipp_intercept_filter_close(void);

#endif
