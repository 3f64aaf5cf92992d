# SPDX-License-Identifier: MIT
"""The table of rules: everything that is checked, what the standard demands, and what to do.

Findings name their rule by its id. docs/checks.md has an index made of this table.
"""

from __future__ import annotations

from mpipp.checks.rules import agreement, arguments, leaks, memory
from mpipp.checks.rules.rule import Rule, Version, cited

__all__ = ["RULES", "Rule", "Version", "cited"]

RULES = {rule.id: rule for table in (arguments, memory, agreement, leaks) for rule in table.RULES}
