# SPDX-License-Identifier: MIT
"""`mpipp run --provoke`: legal but adversarial schedules that expose latent errors."""

from __future__ import annotations

import argparse
import os
import random
import re
import sys
from collections.abc import Mapping
from dataclasses import replace

from mpipp.cli import run_options
from mpipp.common.errors import MpippError
from mpipp.common.lazy_dataclass import dataclass
from mpipp.common.text.sanitize import plain

_RMA = "rma"
_MATCH = "match:"
_RECEIVE = re.compile(r"(\d{1,9})\.(\d{1,18})\.(\d{1,9})", re.ASCII)
_SHORT = 9999  # the largest random seed, short because users may type it again
_LARGEST = 2**64 - 1
_LATEST = 2**32 - 1  # the largest latency of Nasty-MPI
_NUMBERS = {
    "parts": (2, 512, "a number of parts from 2 to 512"),
    "latency": (0, _LATEST, f"a number of milliseconds, {_LATEST} at most"),
}  # minimum, maximum, and the words for an error message
_YES_NO = ("yes", "no")
_RULES: Mapping[str, tuple[str, ...]] = {
    "defer": _YES_NO,
    "local": _YES_NO,
    "split": _YES_NO,
    "parts": (),
    "order": ("random", "reverse", "put-first", "get-first", "program"),
    "flush": _YES_NO,
    "show": _YES_NO,
    "latency": (),
    "only": (),
}  # each parameter with the words that it allows; () stands for numbers or operations
_ONLY = re.compile(r"\d+:\d+(\.\d+(-\d+)?)?(\+\d+:\d+(\.\d+(-\d+)?)?)*", re.ASCII)
# Rules that reduce the perturbation, to find the parts that an error does not need. From each row,
# the first rule with which the error remains is used.
LESS = (
    (("split", "no"), *(("parts", str(2**power)) for power in range(1, 6))),
    (("flush", "no"),),
    (("latency", "0"),),
    (("order", "program"),),
    (("local", "no"),),
    (("defer", "no"),),
)
# For each variable of Nasty-MPI: the rule of mpipp, and its names for the values.
_NASTY: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "NASTY_SKIP_COMPLETION_STAGE": ("defer", {"0": "yes", "1": "no"}),
    "NASTY_LOCAL_COMPLETION_ENABLED": ("local", {"0": "no", "1": "yes"}),
    "NASTY_SKIP_ATOMICITY_STAGE": ("split", {"0": "yes", "1": "no"}),
    "NASTY_SUBMIT_ORDER": (
        "order",
        {
            "random": "random",
            "reverse_po": "reverse",
            "put_before_get": "put-first",
            "get_before_put": "get-first",
        },
    ),
    "NASTY_ADD_FLUSH_ENABLED": ("flush", {"0": "no", "1": "yes"}),
    "NASTY_ADD_LATENCY": ("latency", {}),
}


@dataclass(frozen=True)
class Schedules:
    """The seed of a perturbation, or None, and the rules for one-sided communication.

    Attributes:
        match: "RANK.NUMBER.SOURCE" of a receive that takes another message; then there is no seed.
    """

    seed: int | None
    rma: bool = False
    rules: tuple[tuple[str, str], ...] = ()
    match: str = ""

    def with_seed(self, seed: int) -> Schedules:
        """A copy with this seed."""
        return replace(self, seed=seed)

    def with_rule(self, name: str, value: str) -> Schedules:
        """A copy with one more rule, unless the rule is set already."""
        return replace(self, rules=tuple(sorted([*self.rules, (name, value)])))

    def word(self) -> str:
        """The value of --provoke for these schedules."""
        if self.match:
            return f"{_MATCH}{self.match}"
        parts = [_RMA] if self.rma else []
        parts += [] if self.seed is None else [str(self.seed)]
        return ",".join([*parts, *(f"{name}={value}" for name, value in self.rules)])

    def variables(self) -> dict[str, str]:
        """The environment variables of these schedules."""
        word = self.word()
        if self.match:
            return {"MPIPP_PROVOKE_MATCH": self.match}
        return {"MPIPP_PROVOKE_RMA": word[4:]} if self.rma else {"MPIPP_PROVOKE": word}


def schedules(arguments: argparse.Namespace) -> Schedules | None:
    """Parse the value of --provoke; None without the option.

    Raises MpippError if the value, or a variable of Nasty-MPI, is invalid.
    """
    if arguments.provoke is None:
        return None
    word: str = arguments.provoke
    if word.startswith(_MATCH):
        return _of_match(word, arguments)
    first, *rest = word.split(",")
    if first != _RMA:
        return Schedules(None if word == run_options.ANY else _seed(word, word))
    seed = None
    if rest and "=" not in rest[0]:
        seed = _seed(rest.pop(0), word)
    rules = _by_variables(os.environ)
    for one in rest:
        name, _, value = one.partition("=")
        if name not in _RULES:
            known = ", ".join(_RULES)
            raise MpippError(f"--provoke={word}: there is no rule {name!r}: the rules are {known}")
        rules[name] = _value(name, value, f"--provoke={word}")
    return Schedules(seed, True, tuple(sorted(rules.items())))


def _of_match(word: str, arguments: argparse.Namespace) -> Schedules:
    if getattr(arguments, "provoke_sweep", None) is not None:
        raise MpippError(f"--provoke={word} is one schedule: leave out --provoke-sweep")
    receive = word[len(_MATCH) :]
    found = _RECEIVE.fullmatch(receive)
    if not found or not int(found[2]):
        raise MpippError(
            f"--provoke={word}: write match:RANK.NUMBER.SOURCE, as a finding of --check=races does"
        )
    return Schedules(None, match=receive)


def _seed(text: str, word: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) > _LARGEST:
        raise MpippError(f"--provoke={word}: a seed must be a number from 0 to {_LARGEST}")
    return int(text)


def _value(name: str, value: str, where: str) -> str:
    values = _RULES[name]
    if values and value not in values:
        raise MpippError(f"{where}: {name} must be one of {', '.join(values)}")
    if name == "only":
        if not _ONLY.fullmatch(value):
            raise MpippError(
                f"{where}: only must be RANK:PLACE, RANK:PLACE.TIME or RANK:PLACE.TIME-TIME; join "
                "several with '+'"
            )
    elif name in _NUMBERS:
        least, largest, what = _NUMBERS[name]
        if not (value.isascii() and value.isdigit() and least <= int(value) <= largest):
            raise MpippError(f"{where}: {name} must be {what}")
    return value


def _by_variables(environment: Mapping[str, str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for variable, (name, values) in _NASTY.items():
        value = environment.get(variable)
        if value is None:
            continue
        if values and value not in values:
            raise MpippError(f"{variable}={value}: it must be one of {', '.join(values)}")
        found[name] = _value(name, values.get(value, value), f"{variable}={value}")
    return found


def is_of_one_run(arguments: argparse.Namespace) -> bool:
    """Return whether the run is perturbed, with one schedule, not with a sweep of seeds."""
    return arguments.provoke is not None and arguments.provoke_sweep is None


def with_random_seed(given: Schedules | None) -> Schedules | None:
    """The schedules of a single run, with a random seed if the user passed none."""
    if given is None or given.seed is not None or given.match:
        return given
    # Odd, because odd seeds also make standard sends synchronous.
    return given.with_seed(random.randrange(1, _SHORT, 2))


def announce_seed(chosen: Schedules | None) -> None:
    """Write the seed to the error stream before the program starts."""
    if chosen is not None and chosen.match:
        rank, number, source = chosen.match.split(".")
        text = (
            f"mpipp: in rank {rank} receive {number} with MPI_ANY_SOURCE takes a message of rank "
            f"{source}\n"
        )
        sys.stderr.write(plain(text))
        sys.stderr.flush()
    elif chosen is not None:
        what = "one-sided operations perturbed" if chosen.rma else "perturbed"
        sys.stderr.write(plain(f"mpipp: {what} with seed {chosen.seed}\n"))
        sys.stderr.flush()
