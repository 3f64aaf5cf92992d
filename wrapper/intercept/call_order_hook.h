// SPDX-License-Identifier: MIT
#ifndef MPIPP_INTERCEPT_CALL_ORDER_HOOK_H
#define MPIPP_INTERCEPT_CALL_ORDER_HOOK_H

// Adds the hook if the run asks for it (MPIPP_CALL_ORDER).
void mpipp_intercept_call_order_open(void);

#endif
