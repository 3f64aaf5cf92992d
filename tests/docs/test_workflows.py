# SPDX-License-Identifier: MIT
"""Files of this repository for other programs: workflows, templates, the citation."""

from __future__ import annotations

import itertools
import os
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mpipp import __version__
from tests import support
from tests.docs.test_repository import tracked
from tests.support import ROOT

try:
    import yaml
except ImportError:
    support.lacking("there is no yaml: run tools/setup.sh")

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
# Commands that exist where the workflows run, but not on every machine.
OF_CONTAINERS = ("apt-get", "gh")


def read(path: Path) -> dict[str, Any]:
    """The mapping in a YAML file."""
    found = yaml.safe_load(path.read_text())
    assert isinstance(found, dict), path
    # YAML 1.1 reads the key `on` as True.
    return {"on" if key is True else key: value for key, value in found.items()}


def test_all_yaml_can_be_read() -> None:
    files = [path for path in tracked() if path.suffix in (".yml", ".yaml", ".cff")]
    assert files
    assert all(read(path) for path in files)


def commands(path: Path) -> Iterator[list[str]]:
    """The words of each command in a workflow, for each combination of its matrix."""
    for job in read(path)["jobs"].values():
        matrix = job.get("strategy", {}).get("matrix", {})
        for values in itertools.product(*matrix.values()):
            known = dict(zip(matrix, values))
            for step in job["steps"]:
                text = re.sub(
                    r"\$\{\{ matrix\.(\w+) \}\}",
                    lambda found, known=known: str(known[found[1]]),  # type: ignore[misc]
                    step.get("run", ""),
                )
                for line in re.split(r"\n|&&", text):
                    if line.strip():
                        yield shlex.split(line)


def parts() -> list[str]:
    """The parts of .ci/run, from the list in its comment."""
    text = (ROOT / ".ci" / "run").read_text()
    listed = re.findall(r"^#   \.ci/run (\w+) ", text, re.MULTILINE)
    assert listed == re.findall(r"^(\w+)\) ", text, re.MULTILINE)
    return listed


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_is_safe_and_its_commands_exist(path: Path) -> None:
    workflow = read(path)
    assert workflow["permissions"] == {"contents": "read"}
    assert all("timeout-minutes" in job for job in workflow["jobs"].values())
    assert [wrong for words in commands(path) for wrong in problems(words)] == []


def test_a_release_is_a_draft_of_the_tagged_version() -> None:
    path = ROOT / ".github" / "workflows" / "release.yml"
    assert read(path)["on"] == {"push": {"tags": ["v*"]}}
    publishing = [words for words in commands(path) if words[0] in ("gh", "twine")]
    assert [words[:4] for words in publishing] == [["gh", "release", "create", "--draft"]]
    jobs = read(path)["jobs"]
    assert "permissions" not in jobs["build"]
    used = [step.get("uses", "").partition("@")[0] for step in jobs["draft"]["steps"]]
    assert "actions/attest-build-provenance" in used
    assert "actions/checkout" not in used  # a job that may write runs no code of the repository


def problems(words: list[str]) -> Iterator[str]:
    """The reasons why a command of a workflow cannot run."""
    command, *arguments = words
    if "/" in command:
        if not os.access(ROOT / command, os.X_OK):
            yield f"there is no {command}"
    elif not shutil.which(command) and command not in OF_CONTAINERS:
        yield f"there is no {command}"
    if command != ".ci/run" or not arguments:
        return
    known = {
        "mpi": ("mpich4", "openmpi4", *support.WHEELS),
        "gdb": re.findall(r"^(\w+)\) mpis=", distributions(), re.MULTILINE),
    }
    part, *more = arguments
    if part not in parts():
        yield f".ci/run has no part {part}"
    if (len(more) != 1 or more[0] not in known[part]) if part in known else more:
        yield f".ci/run {part} does not take {more}"


def distributions() -> str:
    """The text of the script that runs the tests in another Debian."""
    return (ROOT / "tools" / "test_distro.sh").read_text()


def test_workflows_run_all_parts() -> None:
    called = {tuple(words[1:]) for path in WORKFLOWS for words in commands(path)}
    assert {words[0] for words in called if words and words[0] in parts()} == set(parts())
    # The workflow must cover every MPI, and every other Debian.
    assert {words[1] for words in called if words[:1] == ("mpi",)} == set(support.MPI_IDS)
    known = re.findall(r"^(\w+)\) mpis=", distributions(), re.MULTILINE)
    assert {words[1] for words in called if words[:1] == ("gdb",)} == set(known)


def test_what_is_wrong_with_a_command_is_found() -> None:
    found = [
        wrong
        for line in (
            ".ci/run lint",
            ".ci/run mpi mpich3",
            ".ci/run lint all",
            ".ci/run nothing",
            "tools/nothing.sh",
            "mpipp-nothing",
        )
        for wrong in problems(line.split())
    ]
    assert found == [
        ".ci/run mpi does not take ['mpich3']",
        ".ci/run lint does not take ['all']",
        ".ci/run has no part nothing",
        "there is no tools/nothing.sh",
        "there is no mpipp-nothing",
    ]


def test_the_targets_that_ci_makes_exist() -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    lines = re.findall(r"\bmake ([\w -]+)", (ROOT / ".ci" / "run").read_text())
    made = {word for line in lines for word in line.split() if word.islower()}
    assert {"lint", "check-generated", "test", "wheel"} <= made
    assert made <= targets


def test_hooks_are_commands_of_this_repository() -> None:
    repositories = read(ROOT / ".pre-commit-config.yaml")["repos"]
    assert [one["repo"] for one in repositories] == ["local"]
    for hook in repositories[0]["hooks"]:
        if hook["language"] == "pygrep":  # runs in pre-commit itself
            continue
        assert hook["language"] == "system"
        command, *words = hook["entry"].split()
        assert shutil.which(ROOT / command) or shutil.which(command), hook
        assert all((ROOT / word).exists() for word in words if "/" in word)


@pytest.mark.parametrize(
    ("subject", "right"),
    [
        ("watcher: keep one process's damage from ending the others", True),
        ("gdb, cli: read cores", True),
        ("tests/unit: cut a circle\n\nWhy that is so.", True),
        ("Cut a circle", False),
        ("wrapper: " + "x" * 64, False),
        ('Revert "wrapper: cut a circle"', True),
    ],
)
def test_subjects_of_commits(subject: str, right: bool) -> None:
    hooks = read(ROOT / ".pre-commit-config.yaml")["repos"][0]["hooks"]
    (form,) = (hook["entry"] for hook in hooks if hook["id"] == "subject")
    assert bool(re.search(form, subject + "\n", re.MULTILINE | re.DOTALL)) is right


def test_the_citation_is_of_this_version() -> None:
    citation = read(ROOT / "CITATION.cff")
    assert citation["version"] == __version__
    assert citation["license"] == "MIT"
