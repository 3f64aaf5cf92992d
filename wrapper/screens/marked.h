// SPDX-License-Identifier: MIT
// Calls of which nothing is recorded: whether they may be made now, and the handles that they are
// given.
#ifndef MPIPP_SCREENS_MARKED_H
#define MPIPP_SCREENS_MARKED_H

// The one that this thread is about to make.
void mpipp_screen_marked(unsigned procedure);

#endif
