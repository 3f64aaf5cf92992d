# SPDX-License-Identifier: MIT
"""Debian's source package: dpkg's tools read it, and it agrees with pyproject.toml."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mpipp import __version__
from tests.packaging.test_recipes import dependencies
from tests.support import ROOT, need

_DEBIAN = ROOT / "packaging" / "debian"


def test_the_changelog_begins_with_this_version() -> None:
    words = [need("dpkg-parsechangelog"), "-l", str(_DEBIAN / "changelog"), "-S", "Version"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout.strip().rpartition("-")[0] == __version__


def test_the_package_needs_the_dependencies_to_build() -> None:
    text = (_DEBIAN / "control").read_text()
    needed = dict(re.findall(r"python3-([\w-]+)(?: \(>= ([\d.]+)\))?", text))
    assert dependencies().keys() <= needed.keys()
    assert needed["pyelftools"] == dependencies()["pyelftools"]
    assert "python3-hatchling (>= 1.27)" in text


@pytest.mark.thorough
def test_dpkg_builds_the_source_package(tmp_path: Path) -> None:
    need("dpkg-source")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    source = tmp_path / f"mpipp-{__version__}.tar.gz"
    subprocess.run([need("tar"), "xf", source.name], cwd=tmp_path, check=True)
    source.rename(tmp_path / f"mpipp_{__version__}.orig.tar.gz")
    tree = tmp_path / f"mpipp-{__version__}"
    shutil.copytree(tree / "packaging" / "debian", tree / "debian")
    done = subprocess.run(
        ["dpkg-source", "--build", tree.name],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr
    assert (tmp_path / f"mpipp_{__version__}-1.dsc").exists()
