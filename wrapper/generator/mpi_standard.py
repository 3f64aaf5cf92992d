# SPDX-License-Identifier: MIT
"""Every procedure of MPI, also removed ones, from the MPI Forum's data (pympistandard)."""

from __future__ import annotations

import dataclasses
import importlib.resources
import json
import re
from dataclasses import dataclass
from typing import Any

import pympistandard

from wrapper.generator import forms
from wrapper.generator import procedures as known


@dataclass(frozen=True)
class Parameter:
    """One parameter of the C binding."""

    name: str
    kind: str  # the standard's kind: BUFFER, DATATYPE, RANK ...
    direction: str  # "in", "out" or "inout"
    declaration: str  # in C, with the name
    length: str  # of an array: the parameter with its length, "*" if the standard names none
    root_only: bool

    @property
    def indirect(self) -> bool:
        return "*" in self.declaration or "[" in self.declaration

    @property
    def array(self) -> bool:
        return "[" in self.declaration

    @property
    def by_value_handle(self) -> bool:
        return self.kind in known.HANDLES and not self.indirect


@dataclass(frozen=True)
class Procedure:
    """One procedure, in its small or large count form."""

    name: str  # without "MPI_", with "_c" for the large count form
    base: str  # without "_c"
    operation: str  # "Bcast" for all forms of MPI_Bcast
    form: str  # one of forms.FORMS
    parameters: list[Parameter]
    removed: bool = False  # no longer in mpi.h: always wrapped, and declared here

    @property
    def large(self) -> bool:
        return self.name != self.base


def split_c(declaration: str) -> list[str]:
    inside = declaration[declaration.index("(") + 1 : declaration.rindex(")")]
    return [] if inside in ("", "void") else [part.strip() for part in inside.split(",")]


def name_of(declaration: str) -> str:
    found = re.search(r"(\w+)(\[\d*\])*$", declaration)
    assert found, declaration
    return found.group(1)


def parse(expression: str, data: dict[str, Any], base: str, bases: set[str]) -> Procedure:
    """The procedure with a C declaration; its parameters' kinds come from the standard's data."""
    name = re.search(r"MPI_(\w+)\(", expression)
    assert name, expression
    parameters = []
    for declaration in split_c(expression):
        entry = data[name_of(declaration)]
        length = entry["length"]
        parameters.append(
            Parameter(
                name_of(declaration),
                entry["kind"],
                entry["param_direction"],
                declaration,
                length if isinstance(length, str) else "*" if length else "",
                entry["root_only"] and (base, name_of(declaration)) not in known.NOT_ROOT_ONLY,
            )
        )
    return Procedure(name.group(1), base, *forms.form_of(base, bases), parameters)


def standard() -> list[Procedure]:
    """Every C procedure of the standard, both forms, in alphabetical order."""
    pympistandard.use_api_version(1)
    text = importlib.resources.files("pympistandard").joinpath("data/apis.json").read_text()
    found = []
    everything = json.loads(text)
    bases = {entry["name"].removeprefix("MPI_") for entry in everything.values()}
    for key, entry in everything.items():
        attributes = entry["attributes"]
        if (
            not attributes["c_expressible"]
            or attributes["callback"]
            or attributes["predefined_function"]
            or (entry["return_kind"] != "ERROR_CODE" and not key.endswith(("_c2f", "_toint")))
            or entry["name"] == "MPI_Pcontrol"
        ):
            continue
        procedure = pympistandard.PROCEDURES[key]
        data = {p["name"]: p for p in entry["parameters"]}
        base = entry["name"].removeprefix("MPI_")
        found.append(parse(str(procedure.express.iso_c), data, base, bases))
        if procedure.has_embiggenment():
            found.append(parse(str(procedure.express.embiggen.iso_c), data, base, bases))
    return found


def removed() -> list[Procedure]:
    """The MPI-1 procedures that MPI-3 removed, but that libraries still have."""
    found = []
    for expression in known.REMOVED:
        data = {
            name: {
                "kind": known.REMOVED_KINDS[name],
                "param_direction": "out" if "*" in d and "void*" not in d else "in",
                "length": known.REMOVED_LENGTHS.get(name),
                "root_only": False,
            }
            for d in split_c(expression)
            for name in [name_of(d)]
        }
        base = expression[len("int MPI_") : expression.index("(")]
        found.append(dataclasses.replace(parse(expression, data, base, set()), removed=True))
    return found
