// SPDX-License-Identifier: MIT
// Finds the messages that nonblocking wildcard receives get, when these complete
// (recorder/matching/wildcard_receives.h).
#ifndef MPIPP_INTERCEPT_WILDCARD_HOOK_H
#define MPIPP_INTERCEPT_WILDCARD_HOOK_H

// The first call of this function adds the hook.
void mpipp_intercept_watch_wildcards(void);

#endif
