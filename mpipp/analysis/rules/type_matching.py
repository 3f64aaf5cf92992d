# SPDX-License-Identifier: MIT
"""The sentences of rules about two type signatures that meet
(`analysis/context/signature_check.py`).
"""

from __future__ import annotations

from mpipp.analysis.rules.rule import Templates

_TYPES = {
    "message": "{clause}, {where}: {datatype} is sent, {other_datatype} received",
    "both": "the processes {verb} different types, {where}: {datatype} and {other_datatype}",
    "itself": "what {actor_text} {verb} does not match what it {other_verb}, {where}: {datatype} "
    "and {other_datatype}",
}
_LENGTH = {
    "both": "the processes {verb} different numbers of elements: {count} and {other_count}",
    "itself": "{actor_text} {verb} {elements}, but {other_verb} only {other_count}",
    "itself-less": "{actor_text} {verb} only {elements}, but {other_verb} {other_count}",
    "longer": "{elements} sent, but only {other_count} received",
    "shorter": "only {elements} sent, but {other_count} received",
}


def of(id: str) -> Templates:
    """Those of the rules for types and lengths whose ids begin with `id`."""
    return {f"{id}-types": _TYPES, f"{id}-types-byte": _TYPES, f"{id}-length": _LENGTH}


TRUNCATION = (
    "{elements} sent, but only {other_count} received: the message is truncated (MPI_ERR_TRUNCATE)"
)
