// SPDX-License-Identifier: MIT
// A hook that finds, for each call of a watched program, its place with its callers (MPIPP_FRAMES).
#ifndef MPIPP_INTERCEPT_CALLERS_HOOK_H
#define MPIPP_INTERCEPT_CALLERS_HOOK_H

void mpipp_intercept_callers_open(void);

#endif
