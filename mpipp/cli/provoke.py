# SPDX-License-Identifier: MIT
"""`mpipp run --provoke`: legal but unkind schedules, so that latent errors show in the results."""

from __future__ import annotations

import argparse
import random
import sys

from mpipp.errors import MpippError

ANY = "any"  # seed
_SHORT = 9999  # the largest seed that is chosen here: people type it again
_LARGEST = 2**64 - 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of provoked runs."""
    parser.add_argument(
        "--provoke",
        nargs="?",
        const=ANY,
        metavar="SEED",
        help="schedules that MPI allows and seldom has: late data, odd orders, no buffering; "
        "--provoke=SEED: the same again; see docs/provoke.md",
    )
    parser.add_argument(
        "--provoke-sweep",
        type=int,
        metavar="N",
        help="run the program unprovoked, then with N seeds, and list those whose exit status or "
        "output differs; runs longer than --hang-after, and much longer than unprovoked, are ended",
    )


def seed(arguments: argparse.Namespace) -> int | None:
    """The seed of a run; None if it is not provoked.

    Raises MpippError if the word is no seed.
    """
    if arguments.provoke is None:
        return None
    if arguments.provoke == ANY:
        return random.randrange(1, _SHORT, 2)  # standard sends are synchronous in all of these
    word: str = arguments.provoke
    if not word.isascii() or not word.isdigit() or int(word) > _LARGEST:
        raise MpippError(f"--provoke={word}: a seed is a number from 0 to {_LARGEST}")
    return int(word)


def variables(chosen: int | None) -> list[str]:
    """What a seed adds to the program's environment: words for `env`."""
    return [] if chosen is None else [f"MPIPP_PROVOKE={chosen}"]


def tell(chosen: int | None) -> None:
    """Say which seed it is, before the program starts."""
    if chosen is not None:
        sys.stderr.write(f"mpipp: provoked with seed {chosen}\n")
        sys.stderr.flush()
