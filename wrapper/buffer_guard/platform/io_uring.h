// SPDX-License-Identifier: MIT
// Rings of requests to the system (io_uring): the system uses memory of the program's while this
// goes on, and may have registered pages, for which no others may come. The same goes for what
// registers memory otherwise: cards that compute, and userfaultfd. With the guard's lock.
#ifndef MPIPP_BUFFER_GUARD_PLATFORM_IO_URING_H
#define MPIPP_BUFFER_GUARD_PLATFORM_IO_URING_H

// Whether the process has had one, as far as is known.
extern int mpipp_guard_ring_is_there __attribute__((visibility("hidden")));
// Whether it has: its files are looked at, once for each `anew`.
int mpipp_guard_rings_look(void);
void mpipp_guard_rings_anew(void);

#endif
