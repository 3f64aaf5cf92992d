# SPDX-License-Identifier: MIT
"""A command that hangs fails only its own test."""

from __future__ import annotations

from subprocess import PIPE

import pytest

from tests import support

HANGS = ["sh", "-c", "echo begun; exec sleep 600"]


def test_what_takes_too_long_is_ended_and_told() -> None:
    with pytest.raises(AssertionError) as failed:
        support.finished(HANGS, 3, stdout=PIPE, stderr=PIPE)
    assert str(failed.value) == "not ended after 3 s: sh -c 'echo begun; exec sleep 600'\nbegun\n"


def test_what_goes_on_when_a_test_fails_is_ended() -> None:
    with pytest.raises(ZeroDivisionError), support.running(HANGS, stdout=PIPE) as process:
        assert process.stdout and process.stdout.readline() == "begun\n"
        raise ZeroDivisionError
    assert process.returncode == -15
