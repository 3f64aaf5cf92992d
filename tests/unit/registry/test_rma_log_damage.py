# SPDX-License-Identifier: MIT
"""Damaged and cut-off logs of one-sided communication: mpipp prints sentences, and still reads the
entries before the damage."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager

from tests import short
from tests.fuzz.cases import patience
from tests.short import some
from tests.unit.registry import rma_log_damage
from tests.unit.registry.rma_log_damage import damaged, nasty, run, shortened, told, whole

CASES = some(200)  # some hundredths of a second each; `make fuzz` runs more
_MOST_BYTES = 4 << 30  # bytes of address space that the parser may add


@contextmanager
def little_memory() -> Iterator[None]:
    """Limit the memory, so that a request for an absurd size fails."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    with open("/proc/self/statm", encoding="utf-8") as statm:
        own = int(statm.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (own + _MOST_BYTES, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def test_the_logs_have_entries_of_each_sort_and_are_understood() -> None:
    found, unchecked = told(whole())
    assert unchecked == ""
    assert len(found) == 10
    sorts = {sort for sort, _, _ in nasty(every=12)}
    assert sorts == {name.replace("_", " ") for name in rma_log_damage.SORTS} - {"unknown"}


def test_entries_that_are_like_earlier_ones_are_read_as_if_they_were_whole() -> None:
    logs = whole()
    short = list(map(shortened, logs))
    assert all(len(one) < 0.9 * len(log) for one, log in zip(short, logs))
    assert told(short) == told(logs)
    for one, log in zip(short, logs):
        again = rma_log_damage.entries_of(rma_log_damage.moved(one))
        assert again == rma_log_damage.entries_of(rma_log_damage.moved(log))


def test_nasty_values_in_each_word_of_each_sort_of_entry() -> None:
    with little_memory():
        for sort, word, logs in nasty(every=24 if short.is_short else 6):
            try:
                with patience():
                    told(logs)
                    rma_log_damage.moved(logs[0])
            except Exception as error:
                raise AssertionError(f"word {word} of {sort}") from error


def test_random_damage() -> None:
    with little_memory():
        for seed in range(CASES):
            try:
                with patience():
                    run(seed)
            except Exception as error:
                raise AssertionError(f"seed {seed}") from error


def test_what_comes_before_a_cut_in_the_middle_of_an_entry_is_analysed() -> None:
    log = "the rest of the log of one-sided communication of rank 1, after it is damaged"
    seen = set()
    for end in range(1, len(whole()[1]), 11 if short.is_short else 3):
        logs = whole()
        del logs[1][end:]
        some, unchecked = told(logs)
        seen.add(len(some))
        is_whole = end in ends(whole()[1])
        assert (log in unchecked) != is_whole, end
    assert len(seen) > 3


def test_counters_of_a_process_that_was_killed_are_not_understood() -> None:
    logs = whole()
    del logs[0][-3:]  # cuts off MPI_Finalize
    found, unchecked = told(logs)
    # Each process can access the other's window memory, which may contain flags.
    assert (len(found), unchecked) == (
        10,
        "3 possible conflicts of one-sided operations: values that processes read from memory, or "
        "messages of another MPI_COMM_WORLD, or calls of rank 0, which did not reach MPI_Finalize, "
        "may order them "
        "(the check rma-possible shows them)",
    )


def test_what_waits_for_one_that_was_killed_is_compared_with_itself() -> None:
    logs = whole()
    del logs[1][sorted(ends(logs[1]))[6] :]  # cuts the log before its first message
    found, unchecked = told(logs)
    assert [one.partition(":")[0] for one in found] == [
        "rma-target",
        "rma-two-buffers",
        "rma-gone",
    ] * 2
    assert unchecked == ""  # no process has called MPI_Finalize


def ends(words: object) -> set[int]:
    """The positions where entries end."""
    found, at = set(), 0
    while at < len(words):  # type: ignore[arg-type]
        at += words[at] >> 8 & 0xFFFFFF  # type: ignore[index]
        found.add(at)
    return found


def test_a_log_of_which_pages_are_missing_is_one_sentence() -> None:
    _, unchecked = told(whole(), is_whole=False)
    assert unchecked == (
        "the rest of the logs of one-sided communication of ranks 0 to 2, after they are damaged; "
        "3 possible conflicts of one-sided operations: values that processes read from memory, or "
        "messages of another MPI_COMM_WORLD, may order them (the check rma-possible shows them)"
    )
    assert any(told(damaged(seed))[1] for seed in range(20))
