// SPDX-License-Identifier: MIT
// Operations whose request the program has freed while they are active. MPI continues them in the
// memory of the aliases, and data that it receives outside whole pages must still be copied to the
// program. So the requests are not freed, but kept and tested.
#ifndef MPIPP_BUFFER_GUARD_OPERATIONS_KEPT_OPERATIONS_H
#define MPIPP_BUFFER_GUARD_OPERATIONS_KEPT_OPERATIONS_H

#include "intercept/hooks.h"

// Handles MPI_Request_free in a hook's `enter`, which returns the result.
int mpipp_guard_keep_freed_request(struct mpipp_passage *passage);
// Tests all kept operations, and ends those that are complete. is_last: 1 at MPI_Finalize, where it
// ends all of them.
void mpipp_guard_test_kept_requests(int is_last);
// Notes that the thread has left a call by a jump, perhaps while it tested kept operations.
void mpipp_guard_kept_abandon_test(void);

#endif
