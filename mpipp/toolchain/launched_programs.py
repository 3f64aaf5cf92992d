# SPDX-License-Identifier: MIT
"""The programs in a launcher's command: mpiexec -n 2 a : -n 3 b."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

# Options that launchers accept behind a colon: those without a value, and those with two. All other
# options have one value, which may be part of the word: --map-by=core.
_VALUELESS = {
    *("envall", "envnone", "genvall", "genvnone", "preload-binary", "s", "oversubscribe"),
    *("nooversubscribe", "nolocal", "bind-to-core", "bind-to-socket", "bycore", "bynode", "byslot"),
    *("allow-run-as-root", "report-bindings", "tag-output", "display-map", "l", "label", "v"),
}
_TWO = {"env", "genv", "mca", "gmca", "omca", "gomca", "pmca", "gpmca", "prtemca", "pmixmca"}


def prefixed(program: Sequence[str], before: Sequence[str]) -> list[str]:
    """Put words before the program, and in "a : -n 3 b" before each program."""
    words = [*before]
    rest = iter(program)
    for word in rest:
        words.append(word)
        if word == ":":
            for option in rest:
                if not option.startswith("-"):
                    words += [*before, option]
                    break
                words += [option, *_values(option, rest)]
    return words


def _values(option: str, rest: Iterator[str]) -> Iterator[str]:
    # The values of an option, if they are separate words.
    name = option.lstrip("-")
    if "=" in name or name in _VALUELESS:
        return
    value = next(rest, "")
    yield value
    is_pair = name in ("env", "genv") and "=" in value  # MPICH also accepts NAME=VALUE as one word
    if name in _TWO and not is_pair:
        yield next(rest, "")
