# SPDX-License-Identifier: MIT
"""`python -m tools.packages`: adds the other files of a release to the wheels in dist/.

These files are the source, the recipes of other package managers with its hash, a bill of
materials, and the hashes of all files. `make packages` first builds the wheels.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from mpipp import __version__
from tools.packages import materials, recipes, sums

ROOT = Path(__file__).resolve().parents[2]
_TOOLS = ROOT / ".venv" / "packaging" / "bin" / "python"


def main() -> None:
    """Complete the release in dist/. A failed step ends the program with its own message."""
    directory = ROOT / "dist"
    wheels = sorted(directory.glob(f"mpipp-{__version__}-*.whl"))
    if not wheels:
        sys.exit(f"packages: dist/ has no wheel of version {__version__}: type make packages")
    if not _TOOLS.exists():
        sys.exit("packages: there is no .venv/packaging: run tools/setup.sh with Python 3.10")
    source = complete(directory, wheels)
    print(f"packages: {source.name} and {len(wheels)} wheels are in dist/, with SHA256SUMS")


def complete(directory: Path, wheels: list[Path]) -> Path:
    """Add the source, its recipes, the bill of materials and the hashes; returns the source."""
    _run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(directory))
    source = directory / f"mpipp-{__version__}.tar.gz"
    _run(str(_TOOLS), "-m", "twine", "check", "--strict", str(source), *map(str, wheels))
    recipes.write(ROOT / "packaging", source, directory / f"mpipp-{__version__}-recipes.tar.gz")
    installed = materials.install(wheels, ROOT / "build" / "packages", str(_TOOLS))
    materials.write(installed, directory / f"mpipp-{__version__}.cdx.json", str(_TOOLS))
    sums.write(directory)
    return source


def _run(*words: str) -> None:
    done = subprocess.run(words, cwd=ROOT, check=False)
    if done.returncode:
        sys.exit(f"packages: a command failed: {' '.join(words)}")


if __name__ == "__main__":
    main()
