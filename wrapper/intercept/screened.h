// SPDX-License-Identifier: MIT
#ifndef MPIPP_SCREENED_H
#define MPIPP_SCREENED_H

// Once the watcher is connected; and in the child of a fork, which is not watched.
void mpipp_screens_open(void);
void mpipp_screens_close(void);

#endif
