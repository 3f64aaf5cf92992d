// SPDX-License-Identifier: MIT
#ifndef MPIPP_THREAD_ORDER_VISIBLE_CODE_H
#define MPIPP_THREAD_ORDER_VISIBLE_CODE_H

// Returns whether mpipp sees the atomic operations of the whole program: `mpipp cc` has compiled
// all of it, except known libraries of the system.
int mpipp_order_sees_atomics(void);

// Returns whether the process has an OpenMP library whose functions this part does not replace.
int mpipp_order_has_other_openmp(void);

#endif
