# SPDX-License-Identifier: MIT
"""A consequence follows its cause, even among very many findings."""

from __future__ import annotations

from dataclasses import replace

from mpipp.analysis import deadlock_check
from mpipp.analysis.findings.finding import Finding
from mpipp.analysis.findings.ordering import ordered
from mpipp.analysis.rules import RULES
from mpipp.render.phrases import Phrase
from tests.unit.jobs import call, job, ranks


def found(rule: str, subject: str) -> Finding:
    """A finding of this rule, about a call of rank 0."""
    (some,) = deadlock_check.check(
        job(ranks(1)[0].posted(0, 5).inside(call("MPI_Recv", source=0, tag=5)))
    )
    party = replace(some.parties[0], subject=Phrase.of("{procedure}", procedure=subject))
    return replace(some, rule=RULES[rule], parties=(party,))


def test_a_consequence_follows_the_first_of_its_causes() -> None:
    consequence, other = found("root-mismatch", "MPI_Bcast"), found("root-mismatch", "MPI_Reduce")
    causes = [replace(found("no-such-root", "MPI_Bcast"), error_class=str(i)) for i in range(2)]
    many = [replace(found("no-such-root", "MPI_Gather"), error_class="x")] * 20_000
    first, *middle, last = list(ordered([consequence, other, *many, *causes]))
    assert first == other  # a finding without a cause comes first
    assert (middle[-2].error_class, last.error_class) == ("0", "1")
    assert middle[-1].rule.id == "root-mismatch"
    assert middle[-1].follows == causes[0].what
