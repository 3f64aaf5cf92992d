# SPDX-License-Identifier: MIT
"""The prose linter: how it finds sentences in files, and each rule."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.lint_prose import source_files
from tools.lint_prose.clean_files import CleanFiles
from tools.lint_prose.prose import COMMENT, DOCSTRING, DOCUMENT, MESSAGE, Block, sentences


def _found(name: str, text: str) -> list[tuple[str, int, str]]:
    return [(kind, problem.line, problem.rule) for kind, problem in source_files.check(name, text)]


def _rules(text: str) -> list[str]:
    return [rule for _, _, rule in _found("docs/a.md", text)]


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("You can select which checks run.", []),
        ("Of all checks some can be chosen.", ["R1"]),
        ("It is done. Of these, two run.", ["R1"]),
        ("Offsets are in bytes.", []),
        ("What is found is reported.", ["R2"]),
        ("What is wrong?", []),
        ("Whether it is freed.", ["R2"]),
        ("Whatever is left.", ["R7"]),
        ("Those of rank 0 come first.", ["R2"]),
        ("Those calls come first.", []),
        ("Such a call is checked.", []),
        ("Calls of such are checked.", ["R2"]),
        ("All but the last.", ["R7"]),
        ("This is all, but it is enough.", []),
        ("Not only all but also none.", []),
        ("An error is told once.", ["word"]),
        ("Its address is `told`.", []),
        ('It says "not told" then.', []),
        ("The error is over.", ["word"]),
        ("It is given to a call.", ["word", "word"]),
        ("It is given names.", ["word"]),
        ("The report says of it.", ["word"]),
        ("Provoked runs go on.", ["word", "word"]),
        ("Use --provoke here, as in a/provoke.md.", []),
        ("There is no room.", ["word"]),
        ("All checks but those of ends.", ["R7"]),
        ("Report where one dies.", ["R6"]),
        ("It is empty where there is none.", ["R6"]),
        ("The folder where it is.", []),
        ("How it works.", []),
        ("The error is overwritten.", []),
        (" ".join(["a"] * 25) + ".", []),
        (" ".join(["a"] * 26) + ".", ["R4"]),
        (" ".join(["a"] * 20) + ". " + " ".join(["a"] * 20) + ".", []),
        ("a " * 14 + "e.g. " + "a " * 14, ["R4"]),
        ("a " * 24 + "`one long span of code`.", []),
    ],
)
def test_rule(text: str, rules: list[str]) -> None:
    assert _rules(text) == rules


def test_sentences_know_their_lines() -> None:
    block = Block(DOCUMENT, ((7, "One is"), (8, "here. Two"), (9, "is there.")))
    assert [(each.line, each.text) for each in sentences(block)] == [
        (7, "One is here."),
        (8, "Two is there."),
    ]


def test_markdown_is_read_without_code() -> None:
    text = "\n".join(
        (
            "# Whether it holds",
            "",
            "- Good",
            "  text `What is code`.",
            "- Of these.",
            "",
            "```",
            "Of code",
            "```",
            "<!-- Of comments -->",
            "",
            "| a | What b |",
            "|---|---|",
            "| c | told |",
        )
    )
    assert _found("docs/a.md", text) == [
        (DOCUMENT, 1, "R2"),
        (DOCUMENT, 5, "R1"),
        (DOCUMENT, 12, "R2"),
        (DOCUMENT, 14, "word"),
    ]


def test_lines_of_prose_are_bounded_and_tables_are_not() -> None:
    prose = "word, " * 20 + "word."  # 125 columns
    link = f"[a](https://example.org/{'x' * 120})"
    table = f"| {'a, ' * 40} | b |\n|---|---|\n| {'c, ' * 40} | d |"
    assert _found("docs/a.md", f"{prose}\n\n{link}\n\n{table.replace(', ', '.  ')}\n") == [
        (DOCUMENT, 1, "line")
    ]


def test_python_has_docstrings_comments_and_messages() -> None:
    text = '''"""Whether a module."""
# Of comments
# there are lines. What is next.
NAME = "what is sent does not match"  # Such as is


def function(a):
    """Return `a`.

    Args:
        a: told before.

    Raises:
        ValueError: but for others.
    """
    return f"of {a} there are {a} told"
'''
    assert sorted(_found("mpipp/a.py", text), key=lambda each: each[1]) == [
        (DOCSTRING, 1, "R2"),
        (COMMENT, 2, "R1"),
        (COMMENT, 3, "R2"),
        (MESSAGE, 4, "R2"),
        (DOCSTRING, 11, "word"),
        (DOCSTRING, 14, "R7"),
        (MESSAGE, 16, "R1"),
        (MESSAGE, 16, "word"),
    ]


def test_docstrings_begin_with_imperatives_or_nouns() -> None:
    assert _found("a.py", '"""How it works."""\n') == [(DOCSTRING, 1, "R11")]
    assert _found("a.py", '"""The same data for machines."""\n') == [(DOCSTRING, 1, "R11")]
    assert _found("a.py", '"""How does it work?"""\n') == []


def test_messages_that_continue_others_have_no_beginning() -> None:
    text = 'A = " of a job that mpipp told", "of the words in it".split()\n'
    assert _found("mpipp/a.py", text) == [(MESSAGE, 1, "word")]


def test_strings_of_other_folders_are_no_messages() -> None:
    assert _found("tests/a.py", 'NAME = "what is sent does not match"\n') == []


def test_rows_of_tables_in_comments_are_sentences_of_their_own() -> None:
    row = " ".join(["a"] * 12)
    table = f"// A table:\n//   abc   {row}\n//   def   {row}\n//   ghi   {row}\n"
    block = f"/* A table:\n *   abc   {row}\n *   def   {row}\n *   ghi   {row} */\n"
    assert _found("wrapper/a.c", table) == _found("wrapper/a.c", block) == []
    assert _found("wrapper/a.c", table.replace("   a", " a")) == [(COMMENT, 1, "R4")]


def test_c_has_comments() -> None:
    text = """// Of these,
// some. What is next.
char *s = "// What is quoted";
int a; /* Whether it
        * holds. Nothing but it. */
"""
    assert _found("wrapper/a.c", text) == [
        (COMMENT, 1, "R1"),
        (COMMENT, 2, "R2"),
        (COMMENT, 4, "R2"),
        (COMMENT, 5, "R7"),
    ]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("mpipp/told.py", "", ["R12"]),
        ("mpipp/call_again.py", "", ["R12"]),
        ("benchmarks/other_threads.c", "", []),
        ("tests/test_told.py", "", []),
        ("mpipp/a.py", "def _tell() -> None: ...\n", ["R12"]),
        ("mpipp/a.py", "class NothingRecorded: ...\n", ["R12"]),
        ("mpipp/a.py", "def has_known_place() -> None: ...\n", []),
        ("benchmarks/a.c", "static int tell_freed(struct mpipp_call *call) {\n", ["R12"]),
        ("benchmarks/a.c", "void mpipp_given(int a,\n", ["R12"]),
        ("benchmarks/a.c", "  return told(call);\n", []),
        ("benchmarks/a.c", "static int retell(int a) {\n", []),
        ("wrapper/a.c", "void mpipp_recorder_comm_made(void) {\n", ["R12"]),
        ("wrapper/a.c", "void mpipp_recorder_add_comm(void) {\n", []),
        ("wrapper/a.c", "static int completed(int a) {\n", ["R12"]),
        ("wrapper/a.c", "static int is_completed(int a) {\n", []),
        ("wrapper/a.c", "void mpipp_guard_snapshots_are_crowded(void) {\n", []),
        ("wrapper/a.c", "static uint64_t of_buffer(int a) {\n", ["R12"]),
        ("wrapper/a.c", "static uint64_t size_of(int a) {\n", []),
        ("wrapper/a.c", "static int is_of_device(int a) {\n", ["R12"]),
        ("wrapper/a.c", "static int start_one(int a) {\n", ["R12"]),
        ("wrapper/a.c", "static int one_byte_loads(int a) {\n", []),
        ("wrapper/a.c", "int mpipp_registry_freed_locked(int a) {\n", ["R12"]),
        ("wrapper/a.c", "static __attribute__((cold)) int soon(int a) {\n", ["R12"]),
        ("wrapper/a.c", "static inline __attribute__((cold)) int\nhere(int a,\n", ["R12"]),
        ("wrapper/a.c", "ENUMERATOR(combiner,\n", []),
        ("wrapper/generator/a.py", "def completed() -> None: ...\n", []),
    ],
)
def test_names(name: str, text: str, expected: list[str]) -> None:
    assert [rule for _, _, rule in _found(name, text)] == expected


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ('add("--json", help="print JSON")', []),
        ('add("--json", help="the format")', ["R9"]),
        ('add("-n", "--number", help=f"A number, {more}")', ["R9"]),
        ('add("cores", help="a core file")', []),
        ('add("--json", help=argparse.SUPPRESS)', []),
    ],
)
def test_help_of_options(call: str, expected: list[str]) -> None:
    assert [rule for _, _, rule in _found("mpipp/a.py", f"{call}\n")] == expected


def test_a_clean_file_is_read_again_only_if_it_changes(tmp_path: Path) -> None:
    kept = tmp_path / "build" / "lint_prose.json"
    clean = CleanFiles(kept)
    assert not clean.has("a.py", "text")
    clean.add("a.py", "text")
    clean.save()
    again = CleanFiles(kept)
    assert again.has("a.py", "text")
    assert not again.has("a.py", "another text")
    assert not again.has("b.py", "text")
    kept.write_text("[broken")
    assert not CleanFiles(kept).has("a.py", "text")
