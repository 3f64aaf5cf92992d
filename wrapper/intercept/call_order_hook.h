// SPDX-License-Identifier: MIT
#ifndef MPIPP_INTERCEPT_CALL_ORDER_HOOK_H
#define MPIPP_INTERCEPT_CALL_ORDER_HOOK_H

// MPIPP_CALL_ORDER: whether the run asks for it.
void mpipp_intercept_call_order_open(void);

#endif
