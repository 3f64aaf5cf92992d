# SPDX-License-Identifier: MIT
"""Fixtures for all tests; support/ contains the code behind them."""

from __future__ import annotations

import gc
import os
import signal

import pytest

from tests import short, support

# Tests and the programs that they start share one cache, which is never the user's.
os.environ["MPIPP_CACHE"] = str(support.CACHE)
# The Pythons whose MPI libraries are the oracle for datatypes.
os.environ.setdefault("MPIPP_ORACLE_PYTHONS", os.pathsep.join(support.oracle_pythons()))
os.environ.update(support.WITHOUT_DISPLAYS)
# To import all tests takes a fifth longer with the garbage collector, which finds nothing.
gc.disable()
# A shell that starts the tests in the background ignores SIGINT. Programs of the tests would
# inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option to run each test on one MPI build, with fewer cases."""
    parser.addoption("--short", action="store_true", help="one MPI for each test, fewer cases")


def pytest_configure(config: pytest.Config) -> None:
    """Store the option before any test is imported."""
    short.is_short = config.getoption("--short")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the MPI builds on which a test need not run."""
    if short.is_short:
        wheels = [name for name in support.WHEELS if name != short.ABI]
        out = short.left_out(items, support.MACHINE, wheels)
        config.hook.pytest_deselected(items=list(out))
        items[:] = [item for item in items if item not in out]


def pytest_collection_finish() -> None:
    """Collect garbage of the tests from here on, and not look at what was imported."""
    gc.freeze()
    gc.enable()


@pytest.fixture
def mpi(request: pytest.FixtureRequest) -> support.MPI:
    """One MPI build, for a test marked with `support.every_mpi` or `support.on_mpi`."""
    found = support.find_mpi(request.param)
    assert found.wrapper  # built here, because the test's time limit does not run yet
    return found
