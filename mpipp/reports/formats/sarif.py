# SPDX-License-Identifier: MIT
"""A run's findings as SARIF 2.1.0, for editors and continuous integration.

The places of a finding's parties are its locations. A location outside the source has only a text.
Existing sources are named relative to the directory in which the run was started.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote

from mpipp import __version__
from mpipp.analysis.rules import RULES, Rule, cited
from mpipp.common.text.sanitize import plain
from mpipp.reports.findings_file import Entry, Party, Place, Run

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_ROOT = "SRCROOT"


def sarif(run: Run) -> str:
    """The document in one line."""
    ids = {name: at for at, name in enumerate(sorted({one.id for one in run.findings}))}
    base = {_ROOT: {"uri": _folder(run.directory)}} if run.directory else {}
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


def _driver(ids: Iterable[str]) -> dict[str, Any]:
    return {
        "name": "mpipp",
        "version": __version__,
        "rules": [_rule(name, RULES.get(name)) for name in ids],
    }


_LEVELS = {"error": "error", "warning": "warning", "remark": "note"}


def _rule(name: str, known: Rule | None) -> dict[str, Any]:
    if known is None:
        return {"id": name}
    found: dict[str, Any] = {
        "id": name,
        "name": "".join(word.capitalize() for word in known.check.split("-")),
        "shortDescription": {"text": known.check},
        "fullDescription": {"text": f"{cited(known.section, None)}: {known.sentence}"},
        "help": {"text": known.advice},
        "defaultConfiguration": {"level": _LEVELS[known.severity]},
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
        found["workingDirectory"] = {"uri": _folder(run.directory)}
    return found


def _result(entry: Entry, ids: Mapping[str, int], directory: str) -> dict[str, Any]:
    places = [one for one in _places(entry) if one[1].frame.path and one[1].frame.line]
    found: dict[str, Any] = {
        "ruleId": entry.id,
        "ruleIndex": ids[entry.id],
        "level": _LEVELS[entry.severity],
        "message": _message(entry.text or entry.what),
        "partialFingerprints": {"finding/v2": plain(entry.fingerprint)},
    }
    if places:
        found["locations"] = [_location(places[0][1], directory)]
        related = [
            {**_location(place, directory), "id": number, "message": _message(words)}
            for number, (words, place) in enumerate(places, 1)
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
    # SARIF takes "[0](DOUBLE)" for a link (SARIF 2.1.0, section 3.11.6).
    return {"text": plain(text).replace("](", "] (")}


def _words(party: Party) -> str:
    return f"{party.process}: {party.text}" if party.process else party.text


def _places(entry: Entry) -> Iterator[tuple[str, Place]]:
    # A location for each party, with its known parts.
    for party in entry.parties:
        yield from ((_words(party), place) for place in party.places[:1])
        started = f"{party.starter} has started {_words(party)}"
        yield from ((started, place) for place in party.started[:1])


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
    # Make the path relative only if it stays below the root: "src/../../x" does not.
    path = _normal(os.path.join(directory, path))
    root = _normal(directory).rstrip("/") + "/"
    if directory and path.startswith(root):
        return {"uri": _quoted(path[len(root) :]), "uriBaseId": _ROOT}
    return {"uri": _uri(path)}


def _folder(path: str) -> str:
    return _uri(path).rstrip("/") + "/"


def _uri(path: str) -> str:
    return "file://" + _quoted(_normal(path))


def _normal(path: str) -> str:
    # An absolute path with one slash first. With two slashes, a URI would begin with a host name.
    return os.path.normpath("/" + path.lstrip("/"))


def _quoted(path: str) -> str:
    try:
        return quote(path.encode(errors="surrogateescape"))
    except UnicodeEncodeError:  # surrogates that stand for no byte
        return quote(path.encode(errors="backslashreplace"))
