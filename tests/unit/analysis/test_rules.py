# SPDX-License-Identifier: MIT
"""The table of rules, and the texts of findings from it."""

from __future__ import annotations

import re

import pytest

from mpipp.analysis.rma_engine.access_rules import APART, COPIES, ITSELF
from mpipp.analysis.rma_engine.access_rules import RULES as ACCESSES
from mpipp.analysis.rules import RULES, TABLES, Rule, Version, cited, rma
from mpipp.analysis.rules.rma import MISTAKES


def test_every_rule_has_its_own_id() -> None:
    assert [rule.id for table in TABLES for rule in table.RULES] == list(RULES)


def test_what_runs_break_has_its_rule() -> None:
    broken = {rule.id for rule in (*ACCESSES, APART, COPIES) if rule.id} | {ITSELF, *MISTAKES}
    broken.add(rma.POSSIBLE)
    assert broken == {rule.id for rule in rma.RULES}


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_rules_are_written_alike(rule: Rule) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", rule.id) and re.fullmatch(r"[a-z-]+", rule.check)
    assert re.fullmatch(r"\d+(\.\d+)+( and \d+(\.\d+)+)*", rule.section)
    assert rule.severity in ("error", "warning", "remark")
    assert rule.must == "" or rule.must.startswith("MUST_ERROR_")
    assert not rule.sentence.endswith(".") and not rule.advice.endswith(".")


@pytest.mark.parametrize(
    ("section", "standard", "citation"),
    [
        ("5.1.9", (3, 1), "MPI-3.1, section 4.1.9"),
        ("3.3.1", (3, 1), "MPI-3.1, section 3.3.1"),
        ("11.2.2", (3, 1), "MPI-3.1, section 8.7"),
        ("11.2.2", (4, 0), "MPI-4.0, section 11.2.2"),
        ("19.1.9", (3, 1), "MPI-3.1, section 17.1.9"),
        ("19.3.10", (4, 0), "MPI-4.0, section 19.3.10"),
        (RULES["aborted"].section, (3, 1), "MPI-3.1, section 8.7"),
        (RULES["aborted"].section, (4, 1), "MPI-4.1, section 11.4.2"),
        ("5.1.9", (4, 1), "MPI-4.1, section 5.1.9"),
        ("5.1.9", (5, 0), "MPI-5.0, section 5.1.9"),
        ("3.2.2", (5, 0), "MPI-4.1, section 3.2.2"),
        ("5.1.9", (6, 0), "MPI-4.1, section 5.1.9"),
        ("5.1.9", None, "MPI-4.1, section 5.1.9"),
        ("1.2.3", (3, 1), "MPI-4.1, section 1.2.3"),
    ],
)
def test_the_section_is_that_of_the_version(section: str, standard: Version, citation: str) -> None:
    assert cited(section, standard) == citation
