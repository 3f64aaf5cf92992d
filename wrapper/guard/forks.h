// SPDX-License-Identifier: MIT
// The child of a fork gets pages of its own in place of those of the file, and is not watched.
#ifndef MPIPP_FORKS_H
#define MPIPP_FORKS_H

// What else is to be done in the child, with the guard's lock. Before the program begins.
void mpipp_forks_handle(void (*in_child)(void));

#endif
