# SPDX-License-Identifier: MIT
"""The indexes of the checks: by rule, by message, and by identifier in MUST."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from mpipp.analysis.rules import RULES, TABLES, cited
from mpipp.analysis.rules.rule import Rule
from mpipp.analysis.rules.selection import GROUPS

_PAGES = {word: f"{group}.md" for group, words in GROUPS.items() for word in words}


def by_rule() -> str:
    """Every rule with its check, sections of the standard, error class and identifier in MUST."""
    rows = ["| rule | word | section | in MPI-3.1 | class | MUST |", "|---|---|---|---|---|---|"]
    for rule in RULES.values():
        older = re.sub("MPI-3.1, sections? |^MPI-4.1.*", "", cited(rule.section, (3, 1)))
        must = f"`{rule.must}`" if rule.must else ""
        error_class = rule.error_class.format(error_class="the handle's")
        word = f"[`{rule.check}`]({_PAGES[rule.check]})"
        rows.append(_row(f"`{rule.id}`", word, rule.section, older, error_class, must))
    return "\n".join([*rows, ""])


def by_message() -> str:
    """Every message, with "..." for its facts, and the rules that can produce it."""
    found: dict[str, list[Rule]] = {}
    for rule, template in _templates():
        pattern = re.sub(r"(\.\.\.)+", "...", re.sub(r"\{.*?\}", "...", template))
        if re.search(r"\w\w", pattern) and rule not in found.setdefault(pattern, []):
            found[pattern].append(rule)
    rows = ["| message | rule |", "|---|---|"]
    for pattern in sorted(found, key=lambda text: re.sub(r"[^a-z ]", "", text.lower()).split()):
        rows.append(_row(pattern, ", ".join(_links(found[pattern]))))
    return "\n".join([*rows, ""])


def by_must() -> str:
    """Every identifier in MUST for which there is a rule, with the rules."""
    found: dict[str, list[Rule]] = {}
    for rule in RULES.values():
        if rule.must:
            found.setdefault(rule.must, []).append(rule)
    rows = ["| MUST | rule |", "|---|---|"]
    rows += [_row(f"`{must}`", ", ".join(_links(found[must]))) for must in sorted(found)]
    return "\n".join([*rows, ""])


def _templates() -> Iterator[tuple[Rule, str]]:
    for table in TABLES:
        for rule in table.RULES:
            template = table.WHAT.get(rule.id, "")
            for one in [template] if isinstance(template, str) else template.values():
                yield rule, one


def _links(rules: Iterable[Rule]) -> list[str]:
    return [f"[`{rule.id}`]({_PAGES[rule.check]})" for rule in rules]


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"
