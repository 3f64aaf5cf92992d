# SPDX-License-Identifier: MIT
"""Rules for type signatures that must match (`analysis/context/signature_check.py`)."""

from __future__ import annotations

from collections.abc import Iterator

from mpipp.analysis.rules.rule import Rule, Templates

_TYPES = {
    "message": "{clause}, {where}: {datatype} is sent, {other_datatype} received",
    "both": "the processes {verb} different types, {where}: {datatype} and {other_datatype}",
    "itself": "the data that {actor_text} {verb} do not match the data that it {other_verb}, "
    "{where}: {datatype} "
    "and {other_datatype}",
}
_LENGTH = {
    "both": "the processes {verb} different numbers of elements: {count} and {other_count}",
    "itself": "{actor_text} {verb} {elements}, but {other_verb} only {other_count}",
    "itself-less": "{actor_text} {verb} only {elements}, but {other_verb} {other_count}",
    "longer": "{elements} sent, but only {other_count} received",
    "shorter": "only {elements} sent, but {other_count} received",
}


def mismatch_rules(id: str, section: str, sentence: str, error_class: str = "") -> Iterator[Rule]:
    """Yield the rule for types with this id, and a rule for MPI_BYTE."""
    advice = "describe the same basic types in the same order on both sides"
    of_bytes = f"{sentence}; MPI_BYTE matches only MPI_BYTE"
    for which, demanded, suffix in ((id, sentence, ""), (f"{id}-byte", of_bytes, "_BYTE")):
        must = f"MUST_ERROR_TYPEMATCH_MISMATCH{suffix}"
        texts = (section, demanded, advice, must)
        yield Rule(which, "type-mismatch", *texts, error_class=error_class)


def templates(id: str) -> Templates:
    """Return the templates of the rules for types and lengths whose ids begin with `id`."""
    return {f"{id}-types": _TYPES, f"{id}-types-byte": _TYPES, f"{id}-length": _LENGTH}
