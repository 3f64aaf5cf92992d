# SPDX-License-Identifier: MIT
"""The package that users install, built by `make wheel`."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from email.parser import Parser

import pytest

from mpipp import __version__
from tests.docs.test_repository import tracked
from tests.support import ROOT, lacking


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The wheel of this checkout."""
    if importlib.util.find_spec("hatchling") is None:
        lacking("there is no hatchling: run tools/setup.sh")
    directory = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(directory)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = directory.glob("*.whl")
    return zipfile.ZipFile(path)


def test_the_wheel_has_the_package_and_the_wrapper(wheel: zipfile.ZipFile) -> None:
    names = set(wheel.namelist())
    expected = {*placed("mpipp", "mpipp"), *placed("wrapper", "mpipp/_wrapper")}
    assert expected - names == set()
    assert "mpipp/py.typed" in expected
    assert [name for name in names if "generator" in name or "__pycache__" in name] == []


def placed(directory: str, place: str) -> Iterator[str]:
    """The names in the wheel for tracked files below a directory."""
    for path in tracked():
        name = path.relative_to(ROOT).as_posix()
        if name.startswith(f"{directory}/") and not name.startswith("wrapper/generator/"):
            yield f"{place}{name.removeprefix(directory)}"


def test_the_wheel_has_the_manual(wheel: zipfile.ZipFile) -> None:
    installed = {name for name in wheel.namelist() if "/share/man/man1/" in name}
    pages = {path.name for path in (ROOT / "docs" / "man").glob("*.1")}
    assert "mpipp-run.1" in pages
    assert {name.rpartition("/")[2] for name in installed} == pages


def test_the_wheel_completes_in_every_shell(wheel: zipfile.ZipFile) -> None:
    source = ROOT / "packaging" / "completion"
    files = {path.relative_to(source).as_posix() for path in source.rglob("*") if path.is_file()}
    installed = {name.partition("/share/")[2] for name in wheel.namelist()}
    assert len(files) == 3
    assert files <= installed


def test_the_wheel_says_what_it_is(wheel: zipfile.ZipFile) -> None:
    (name,) = (name for name in wheel.namelist() if name.endswith("/METADATA"))
    metadata = Parser().parsestr(wheel.read(name).decode())
    assert metadata["Version"] == __version__
    assert "Typing :: Typed" in metadata.get_all("Classifier", [])
    links = dict(link.split(", ") for link in metadata.get_all("Project-URL", []))
    assert {"Source", "Issues", "Documentation", "Changelog"} <= links.keys()
