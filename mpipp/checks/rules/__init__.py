# SPDX-License-Identifier: MIT
"""The table of rules: everything that is checked, what the standard demands, and what to do.

Findings name their rule by its id. docs/checks.md has an index made of this table.
"""

from __future__ import annotations

from mpipp.checks.rules import (
    agreement,
    arguments,
    ends,
    files,
    handles,
    hangs,
    leaks,
    memory,
    onesided,
    operations,
    topologies,
)
from mpipp.checks.rules.rule import Rule, Version, cited

__all__ = ["RULES", "TABLES", "Rule", "Version", "cited"]

TABLES = (
    arguments,
    handles,
    operations,
    topologies,
    files,
    memory,
    onesided,
    agreement,
    hangs,
    leaks,
    ends,
)

RULES = {rule.id: rule for table in TABLES for rule in table.RULES}
