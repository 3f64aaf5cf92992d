# SPDX-License-Identifier: MIT
"""A run's findings as SARIF 2.1.0, for editors and continuous integration.

The places of a finding's parties are its locations; one that is not known in the source has its
words only. Sources are named relative to the directory that the run was started in, if they are
there.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

from mpipp import __version__
from mpipp.checks.rules import RULES, Rule
from mpipp.reports.directory import Entry, Party, Place, Run
from mpipp.reports.plain import plain

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_ROOT = "SRCROOT"
_WORDS = re.compile(r"0x[0-9a-f]+|\d+")


def sarif(run: Run) -> str:
    """The document, one line."""
    ids = sorted({entry.id for entry in run.findings})
    base = {_ROOT: {"uri": _uri(run.directory) + "/"}} if run.directory else {}
    log = {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": _driver(ids)},
                "invocations": [_invocation(run)],
                "originalUriBaseIds": base,
                "columnKind": "unicodeCodePoints",
                "results": [_result(entry, ids, run.directory) for entry in run.findings],
            }
        ],
    }
    return json.dumps(log)


def _driver(ids: Sequence[str]) -> dict[str, Any]:
    return {
        "name": "mpipp",
        "version": __version__,
        "rules": [_rule(name, RULES.get(name)) for name in ids],
    }


def _rule(name: str, known: Rule | None) -> dict[str, Any]:
    if known is None:
        return {"id": name}
    found: dict[str, Any] = {
        "id": name,
        "name": "".join(word.capitalize() for word in known.check.split("-")),
        "shortDescription": {"text": known.check},
        "fullDescription": {"text": f"MPI-4.1, section {known.section}: {known.sentence}"},
        "help": {"text": known.advice},
        "defaultConfiguration": {"level": known.severity},
    }
    if known.must:
        found["properties"] = {"tags": [known.must]}
    return found


def _invocation(run: Run) -> dict[str, Any]:
    found: dict[str, Any] = {
        "executionSuccessful": not run.not_checked,
        "commandLine": plain(shlex.join(run.command)),
        "toolExecutionNotifications": [
            {"level": "warning", "message": _message(f"not checked: {sentence}")}
            for sentence in run.not_checked
        ],
    }
    if re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)", run.started):
        found["startTimeUtc"] = run.started
    if run.exit is not None:
        found["exitCode"] = run.exit
    if run.directory:
        found["workingDirectory"] = {"uri": _uri(run.directory) + "/"}
    return found


def _result(entry: Entry, ids: Sequence[str], directory: str) -> dict[str, Any]:
    places = [
        (party, place)
        for party in entry.parties
        for place in party.places[:1]
        if place.frame.path and place.frame.line
    ]
    found: dict[str, Any] = {
        "ruleId": entry.id,
        "ruleIndex": ids.index(entry.id),
        "level": entry.severity,
        "message": _message(entry.text or entry.what),
        "partialFingerprints": {"place/v1": _fingerprint(entry)},
    }
    if places:
        found["locations"] = [_location(places[0][1], directory)]
        related = [
            {**_location(place, directory), "id": number, "message": _message(_words(party))}
            for number, (party, place) in enumerate(places, 1)
        ]
        found["relatedLocations"] = related
    stacks = [_stack(party, directory) for party in entry.parties if len(party.places) > 1]
    if stacks:
        found["stacks"] = stacks
    libraries = sorted({party.library for party in entry.parties if party.library})
    if libraries:
        found["properties"] = {"libraries": [plain(name) for name in libraries]}
    return found


def _message(text: str) -> dict[str, str]:
    # "[0](DOUBLE)" would be a link (SARIF 2.1.0, section 3.11.6).
    return {"text": plain(text).replace("](", "] (")}


def _words(party: Party) -> str:
    return f"{party.process}: {party.text}" if party.process else party.text


def _fingerprint(entry: Entry) -> str:
    # The same of the next run: without numbers of handles and ranks.
    places = [place.frame.text for party in entry.parties for place in party.places[:1]]
    return plain("; ".join([entry.id, _WORDS.sub("", entry.what), *places]))


def _stack(party: Party, directory: str) -> dict[str, Any]:
    return {
        "message": _message(_words(party)),
        "frames": [{"location": _location(place, directory)} for place in party.places],
    }


def _location(place: Place, directory: str) -> dict[str, Any]:
    frame = place.frame
    found: dict[str, Any] = {}
    if frame.path and frame.line > 0:
        region: dict[str, Any] = {"startLine": frame.line}
        number = frame.line - place.first
        if 0 <= number < len(place.source):
            region["snippet"] = {"text": plain(place.source[number])}
        found["physicalLocation"] = {
            "artifactLocation": _artifact(frame.path, directory),
            "region": region,
        }
    names = list(_logical(place))
    if names:
        found["logicalLocations"] = names
    if not found:
        found["message"] = _message(frame.text)
    return found


def _logical(place: Place) -> Iterator[dict[str, str]]:
    frame = place.frame
    if frame.function:
        name = f"{frame.library}!{frame.function}" if frame.library else frame.function
        yield {"name": plain(frame.function), "fullyQualifiedName": plain(name), "kind": "function"}


def _artifact(path: str, directory: str) -> dict[str, str]:
    if directory and PurePosixPath(path).is_relative_to(directory):
        return {"uri": quote(os.fsencode(os.path.relpath(path, directory))), "uriBaseId": _ROOT}
    return {"uri": _uri(path)}


def _uri(path: str) -> str:
    return "file://" + quote(os.fsencode(os.path.normpath(path)))
