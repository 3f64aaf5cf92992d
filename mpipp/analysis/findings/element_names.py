# SPDX-License-Identifier: MIT
"""The program's own names for elements: `buf[1](VECTOR)[2][0](INT)` is u[2][6].

Checks know an element by its datatype and address. Debug information has the name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from mpipp.analysis.findings.finding import Finding, Party
from mpipp.render.phrases import Phrase, Value

Name = Callable[[Party, int], str]  # returns the variable at an address; "" if it is unknown

_NAME = ", which is {variable}"


def has_elements(finding: Finding) -> bool:
    """Return whether details of the finding's parties have elements with addresses."""
    return any(_addresses(one) for party in finding.parties for one in party.details)


def with_names(finding: Finding, name: Name) -> Finding:
    """Return the finding with the names of the elements in the details of its parties."""
    if not has_elements(finding):
        return finding
    parties = (
        replace(party, details=tuple(_with_names(one, party, name) for one in party.details))
        for party in finding.parties
    )
    return replace(finding, parties=tuple(parties))


def _addresses(phrase: Phrase) -> bool:
    return _is_element(phrase) or any(
        _addresses(one)
        for _, value in phrase.facts
        for one in (value if isinstance(value, tuple) else (value,))
        if isinstance(one, Phrase)
    )


def _is_element(phrase: Phrase) -> bool:
    names = {name for name, _ in phrase.facts}
    return {"element", "address"} <= names and "variable" not in names


def _with_names(phrase: Phrase, party: Party, name: Name) -> Phrase:
    facts = dict(phrase.facts)
    if _is_element(phrase):
        address = facts["address"]
        found = name(party, address) if isinstance(address, int) else ""
        return Phrase.of(phrase.template + _NAME, **facts, variable=found) if found else phrase
    return replace(
        phrase, facts=tuple((one, _of_value(v, party, name)) for one, v in facts.items())
    )


def _of_value(value: Value, party: Party, name: Name) -> Value:
    if isinstance(value, Phrase):
        return _with_names(value, party, name)
    if isinstance(value, tuple):
        return tuple(_of_value(one, party, name) for one in value)
    return value
