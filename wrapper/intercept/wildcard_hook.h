// SPDX-License-Identifier: MIT
// Finds the messages that nonblocking receives of any message took, as they complete
// (recorder/matching/wildcard_receives.h).
#ifndef MPIPP_INTERCEPT_WILDCARD_HOOK_H
#define MPIPP_INTERCEPT_WILDCARD_HOOK_H

// From the first call on, a hook sees receives that complete.
void mpipp_intercept_watch_wildcards(void);

#endif
