# SPDX-License-Identifier: MIT
"""`python -m tools.prebuild`: builds wheels of mpipp with wrappers, into dist/."""

from __future__ import annotations

import argparse
from pathlib import Path

from tools.prebuild import wrappers
from tools.prebuild.environment import Environment

_ROOT = Path(__file__).resolve().parent.parent.parent
_MACHINES = ("x86_64", "aarch64")


def main() -> None:
    """Build a wheel for each machine type that the user names."""
    parser = argparse.ArgumentParser(prog="python -m tools.prebuild", description=__doc__)
    parser.add_argument("machines", nargs="*", default=[], help="x86_64, aarch64 (default: both)")
    parser.add_argument("--output", type=Path, default=_ROOT / "dist", help="default: dist")
    arguments = parser.parse_args()
    work = _ROOT / "build" / "prebuild"
    environment = Environment(work / "environment")
    for machine in arguments.machines or _MACHINES:
        made = wrappers.compile_all(machine, environment, work)
        tag = f"manylinux_{wrappers.GLIBC.replace('.', '_')}_{machine}"
        environment.run(
            *("hatchling", "build", "-t", "wheel", "-d", str(arguments.output)),
            variables={"MPIPP_PREBUILT": str(made), "MPIPP_PLATFORM": tag},
        )


if __name__ == "__main__":
    main()
