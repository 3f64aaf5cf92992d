# SPDX-License-Identifier: MIT
"""Default options from the user's file and from pyproject.toml."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from mpipp.cli import run_options, settings_files
from mpipp.common.errors import MpippError
from tests.support import ROOT, another_user

if sys.version_info < (3, 11):
    pytest.importorskip("tomli")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The working directory, in which the user's directory is `config`."""
    (tmp_path / "config").mkdir()
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / ".git").mkdir()
    for name in ("MPIPP_CONFIG", "MPICC", "MPIPP_FRAMES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path / "work")
    yield tmp_path / "work"


def of_user(text: str) -> None:
    Path(os.environ["XDG_CONFIG_HOME"], "mpipp.toml").write_text(text)


def of_project(directory: Path, text: str) -> None:
    (directory / "pyproject.toml").write_text(f"[tool.mpipp]\n{text}")


def words(*typed: str, of_run: bool = True) -> list[str]:
    parser = argparse.ArgumentParser()
    run_options.add_options(parser, of_run)
    return settings_files.words(parser.parse_args(typed), of_run=of_run)


def test_no_file(project: Path) -> None:
    assert words() == []
    (project / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert words() == []


def test_every_kind_of_value(project: Path) -> None:
    of_user(
        "n = 4\nq = true\ncheck = true\nstrict = true\nhang-after = 2.5\nbudget = 7\n"
        'on-error = "abort"\nmpiexec = "mpiexec -x A"\nsuppress = "known.txt"\nvalgrind = ""\n'
    )
    directory = os.environ["XDG_CONFIG_HOME"]
    assert words() == [
        *("-n", "4", "-q", "--check=all", "--strict", "--hang-after=2.5", "--budget=7"),
        *("--on-error=abort", "--mpiexec=mpiexec -x A", f"--suppress={directory}/known.txt"),
        "--valgrind=",
    ]


def test_the_project_precedes_the_user(project: Path) -> None:
    of_user("check = true\nn = 2\n")
    of_project(project, "n = 3\n")
    assert words() == ["--check=all", "-n", "3"]
    of_project(project, "check = false\n")
    assert words() == ["-n", "2"]
    of_project(project, 'check = ["messages", "deadlocks"]\n')
    assert words() == ["--check=messages,deadlocks", "-n", "2"]


def test_the_environment_precedes_both(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    of_user('mpicc = "mine"\nframes = 3\n')
    assert words() == ["--mpicc=mine", "--frames=3"]
    monkeypatch.setenv("MPICC", "other")
    monkeypatch.setenv("MPIPP_FRAMES", "1")
    assert words() == []
    monkeypatch.setenv("MPIPP_CONFIG", "")
    assert settings_files.files() == []
    (project / "only.toml").write_text("n = 7\n")
    monkeypatch.setenv("MPIPP_CONFIG", str(project / "only.toml"))
    assert words() == ["-n", "7"]


def test_the_projects_file_is_at_the_working_directory_or_above(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_project(project, "n = 3\n")
    (project / "a" / "b").mkdir(parents=True)
    (project / "a" / "pyproject.toml").write_text("[tool.other]\n")
    monkeypatch.chdir(project / "a" / "b")
    assert words() == ["-n", "3"]
    (project / "a" / ".git").touch()  # another repository, or a worktree
    assert words() == []


@pytest.mark.parametrize(
    ("text", "typed", "expected"),
    [
        ("strict = true\nq = true\n", [], []),
        ("strict = true\n", ["--check=all"], ["--strict"]),
        ("budget = 7\n", ["--check=messages"], []),
        ("budget = 7\n", ["--check=buffers"], ["--budget=7"]),
        ("rma-loads = true\n", ["--check=fast"], []),
        ("check = true\nhang-after = 3\nn = 2\n", ["--provoke-sweep=9"], ["-n", "2"]),
        ('check = true\non-hang = "abort"\n', ["--stop"], ["--check=all"]),
    ],
)
def test_options_that_do_not_apply(
    project: Path, text: str, typed: Sequence[str], expected: Sequence[str]
) -> None:
    of_user(text)
    assert words(*typed) == expected


def test_the_example_of_the_page(project: Path) -> None:
    page = (ROOT / "docs" / "reference" / "settings.md").read_text()
    example = page.split("```toml\n")[1].split("```")[0]
    (project / "pyproject.toml").write_text(example)
    assert words() == [
        "--check=messages,collectives,deadlocks",
        *("--hang-after=60", f"--suppress={project}/tests/known.txt"),
        "--mpiexec=mpiexec --oversubscribe",
    ]


def test_exec_has_fewer_options(project: Path) -> None:
    of_user("n = 3\ncheck = true\nerror-exit = 9\n")
    assert words(of_run=False) == ["--check=all"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("hang_aftr = 3", "there is no option 'hang_aftr': did you mean hang-after?"),
        ("xyz = 3", "there is no option 'xyz': the options are n, mpiexec, "),
        ("stop = true", "stop works only on the command line: remove it"),
        ("v = true", "v works only on the command line: remove it"),
        ("n = 'four'", "n: write a number"),
        ("n = true", "n: write a number"),
        ("strict = 1", "strict: write true or false"),
        ("mpiexec = 3", "mpiexec: write a text in quotes"),
        ("check = 3", "check: write a text in quotes, true or false"),
        ("check = [1]", "check: write a text in quotes, true or false"),
        ("on-error = 'stop'", 'on-error: write "report" or "handler" or "abort"'),
        ("n 3", " is not a TOML file: "),
        ("n = '\udcff'", " is not a TOML file: "),
    ],
)
def test_wrong_files(project: Path, text: str, sentence: str) -> None:
    path = project / "pyproject.toml"
    path.write_bytes(f"[tool.mpipp]\n{text}\n".encode(errors="surrogateescape"))
    with pytest.raises(MpippError) as raised:
        words()
    assert str(raised.value).startswith(str(path))
    assert sentence in str(raised.value)


def test_a_file_that_another_user_could_have_written(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    of_project(project, 'mpiexec = "./evil"\n')
    path = project / "pyproject.toml"
    path.chmod(0o666)
    assert words() == []
    assert capsys.readouterr().err == f"mpipp: {path} is not read: others may write {path}\n"
    monkeypatch.setenv("PMI_RANK", "1")  # only one process of a job prints the reason
    assert words() == []
    assert capsys.readouterr().err == ""


def test_a_file_of_another_user(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    of_project(project, "n = 3\n")
    os.chown(project / "pyproject.toml", another_user(), -1)
    assert words() == []
    assert "belongs to nobody" in capsys.readouterr().err
