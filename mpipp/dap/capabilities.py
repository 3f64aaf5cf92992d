# SPDX-License-Identifier: MIT
"""The parts of the protocol that the adapter supports."""

from __future__ import annotations

from typing import Any

CAPABILITIES: dict[str, Any] = {
    "supportsConfigurationDoneRequest": True,
    "supportsFunctionBreakpoints": True,
    "supportsConditionalBreakpoints": True,
    "supportsHitConditionalBreakpoints": True,
    "supportsLogPoints": True,
    "supportsDataBreakpoints": True,
    "supportsEvaluateForHovers": True,
    "supportsSetVariable": True,
    "supportsSetExpression": True,
    "supportsRestartRequest": True,
    "supportsTerminateRequest": True,
    "supportTerminateDebuggee": True,
    "supportsSingleThreadExecutionRequests": True,
    "supportsDelayedStackTraceLoading": True,
    "supportsSteppingGranularity": True,
    "supportsCompletionsRequest": True,
    "supportsExceptionInfoRequest": True,
    "exceptionBreakpointFilters": [],
}

# A rank cannot start or end without its job.
LACKING_IN_RANK = {
    "supportsRestartRequest": False,
    "supportsTerminateRequest": False,
    "supportTerminateDebuggee": False,
}
