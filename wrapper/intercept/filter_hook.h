// SPDX-License-Identifier: MIT
#ifndef MPIPP_INTERCEPT_FILTER_HOOK_H
#define MPIPP_INTERCEPT_FILTER_HOOK_H

// mpipp_intercept_filter_open is called when the watcher is connected. mpipp_intercept_filter_close
// is called in the child of a fork, which is not watched.
void mpipp_intercept_filter_open(void);
void mpipp_intercept_filter_close(void);

#endif
