# SPDX-License-Identifier: MIT
"""The files that `make packages` adds to the wheels."""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from mpipp import __version__
from tests.support import ROOT, lacking, need
from tools.packages import materials, recipes, sums

_TOOLS = ROOT / ".venv" / "packaging" / "bin" / "python"


def test_sha256sum_accepts_the_hashes(tmp_path: Path) -> None:
    (tmp_path / "a.whl").write_bytes(b"a")
    (tmp_path / "b.tar.gz").write_bytes(b"b")
    sums.write(tmp_path)
    sums.write(tmp_path)  # the second time does not hash the hashes
    command = [need("sha256sum"), "--check", "--strict", "SHA256SUMS"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "a.whl: OK\nb.tar.gz: OK\n"
    (tmp_path / "a.whl").write_bytes(b"c")
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode


def test_recipes_get_the_hash_of_the_source(tmp_path: Path) -> None:
    source = tmp_path / "source.tar.gz"
    source.write_bytes(b"source")
    archives = [tmp_path / "1" / "recipes.tar.gz", tmp_path / "2" / "recipes.tar.gz"]
    for archive in archives:
        archive.parent.mkdir()
        recipes.write(ROOT / "packaging", source, archive)
    assert archives[0].read_bytes() == archives[1].read_bytes()
    known = {}
    with tarfile.open(archives[0]) as tar:
        for member in tar.getmembers():
            content = tar.extractfile(member)
            assert content
            known[member.name.removeprefix("recipes/")] = content.read().decode()
    assert [name for name, text in known.items() if recipes.UNKNOWN in text] == []
    with_hash = {
        name.partition("/")[0] for name, text in known.items() if sums.sha256(source) in text
    }
    assert with_hash == {"conda", "easybuild", "spack"}


@pytest.mark.thorough
def test_the_bill_of_materials_names_mpipp_and_its_packages(tmp_path: Path) -> None:
    if not _TOOLS.exists():
        lacking("there is no .venv/packaging: run tools/setup.sh")
    file = tmp_path / "mpipp.cdx.json"
    materials.write(Path(sys.executable), file, str(_TOOLS))
    known = json.loads(file.read_text())
    root = known["metadata"]["component"]
    assert (root["name"], root["version"]) == ("mpipp", __version__)
    assert {"pyelftools", "rich"} <= {component["name"] for component in known["components"]}
    (needed,) = (one for one in known["dependencies"] if one["ref"] == root["bom-ref"])
    names = {reference.partition("==")[0] for reference in needed["dependsOn"]}
    assert {"pyelftools", "rich"} <= names


def test_a_release_without_wheels_is_refused(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from tools.packages import __main__ as packages;"
        " packages.ROOT = Path(sys.argv[1]); packages.main()"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == (
        f"packages: dist/ has no wheel of version {__version__}: type make packages\n"
    )
