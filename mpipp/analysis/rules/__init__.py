# SPDX-License-Identifier: MIT
"""The table of rules: all checks, the standard's demand for each, and advice.

Findings name their rule by its id. docs/reference/checks has an index made from this table.
"""

from __future__ import annotations

from mpipp.analysis.rules import (
    arguments,
    buffers,
    collectives,
    deadlocks,
    files,
    handles,
    leaks,
    message_races,
    messages,
    operations,
    portability,
    process_end,
    rma,
    topologies,
)
from mpipp.analysis.rules.rule import Rule, Version, cited

__all__ = ["RULES", "TABLES", "Rule", "Version", "cited", "template"]

TABLES = (
    arguments,
    handles,
    operations,
    topologies,
    files,
    buffers,
    rma,
    messages,
    message_races,
    collectives,
    deadlocks,
    portability,
    leaks,
    process_end,
)

RULES = {rule.id: rule for table in TABLES for rule in table.RULES}


def template(rule: str, case: str) -> str:
    """Return the sentence for a program that violates a rule: "dims[{index}] is {number}".

    Args:
        rule: the rule's id.
        case: selects a sentence of a rule that has several; else "".

    Raises KeyError.
    """
    found = next(table.WHAT[rule] for table in TABLES if rule in table.WHAT)
    return {"": found}[case] if isinstance(found, str) else found[case]
