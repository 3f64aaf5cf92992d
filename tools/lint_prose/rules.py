# SPDX-License-Identifier: MIT
"""The rules of style, by their names in violations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tools.lint_prose.glossary import GLOSSARY
from tools.lint_prose.prose import DOCSTRING, MESSAGE, Sentence

LONGEST_SENTENCE = 25  # words
LONGEST_LINE = 120  # columns, in documents

R1, R2, R4, R6, R7, R9, R11, R12 = "R1", "R2", "R4", "R6", "R7", "R9", "R11", "R12"
WORD, LINE = "word", "line"
RULES = (R1, R2, R4, R6, R7, R9, R11, R12, WORD, LINE)

_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”")
_VERB = "is|are|was|were|has|have|had|do|does|did|may|must|can|could|will|would|should"
_PRONOUN = re.compile(
    rf"^(?:(?:Those|Such)\s+(?:of|in|on|for)|(?:Those|Such|One)\s+(?:that|which|who|whose|with|without|{_VERB}))\b"
    rf"|\b(?:those|such)\s+(?:{_VERB})\b",
)
_QUESTION_WORD = re.compile(
    r"^(What|Whether|Who|Whom|Whose|That which)\b|^The same(?=[.,;:]|$| (?:of|for|with|in|as|by)\b)"
)
_QUESTION_WORD_IN_MESSAGE = re.compile(r"^(what|whether|who|whose)\b", re.IGNORECASE)
_EXCEPT = re.compile(
    r"\b(?:(?:all|any|nothing|nobody|none|no \w+|anything|anybody) but|but for|whatever|whoever"
    r"|but (?:what|who|those|the ones?))\b"
    r"(?! (?:also|not)\b)",
    re.IGNORECASE,
)
_QUESTION_WORD_IN_DOCSTRING = re.compile(r"^(How|Which|Why)\b|^The same\b")
_CONDITION = re.compile(
    r"\bwhere (?:(?:one|a process) (?:dies|ends|fails|waits|frees)|nobody|nothing|it is not|not all"
    r"|there (?:is|are|was|were) (?:no|none|nothing)|that is (?:not|so|wanted|known|certain))\b"
)
_WORDS = re.compile(r"[^\s]*\w[^\s]*")


class Problem(NamedTuple):
    """One violation of a rule.

    Attributes:
        text: the words that violate the rule.
        advice: the words to write instead.
    """

    rule: str
    line: int
    text: str
    advice: str


def problems(sentence: Sentence) -> Iterator[Problem]:
    """The violations in one sentence."""
    text = _QUOTED.sub('"quoted"', sentence.text)
    for rule, found, advice in (*_openings(sentence, text), *_wordings(text)):
        yield Problem(rule, sentence.line, found, advice)
    if (count := len(_WORDS.findall(text))) > LONGEST_SENTENCE:
        advice = f"{count} words: at most {LONGEST_SENTENCE}, one idea a sentence"
        yield Problem(R4, sentence.line, _short(text), advice)


def long_line(number: int, line: str) -> Iterator[Problem]:
    """The violation in a line of prose that is too long and can be wrapped."""
    if len(line) > LONGEST_LINE and " " in line.strip()[: LONGEST_LINE - 1].lstrip("-* "):
        advice = f"{len(line)} columns: at most {LONGEST_LINE}"
        yield Problem(LINE, number, _short(line.strip()), advice)


def _openings(sentence: Sentence, text: str) -> Iterator[tuple[str, str, str]]:
    kind = sentence.kind
    if not sentence.begins:
        return
    if re.match(r"Of\b", text) or (kind == MESSAGE and re.match(r"of\b", text)):
        yield R1, _short(text), "put the subject first"
    if text.endswith("?"):
        return
    question = _QUESTION_WORD_IN_MESSAGE if kind == MESSAGE else _QUESTION_WORD
    if question.match(text):
        yield R2, _short(text), "name the thing"
    elif kind == DOCSTRING and _QUESTION_WORD_IN_DOCSTRING.match(text):
        yield R11, _short(text), "begin with an imperative, or name the thing"
    elif found := _PRONOUN.search(text):
        yield R2, found[0], "name the things that the pronoun stands for"


def _wordings(text: str) -> Iterator[tuple[str, str, str]]:
    for found in _EXCEPT.finditer(text):
        yield R7, found[0], 'write "except" or "only"'
    for found in _CONDITION.finditer(text):
        yield R6, found[0], 'write "if" or "when"'
    for pattern, instead in GLOSSARY:
        for found in pattern.finditer(text):
            yield WORD, found[0], f"write {instead}"


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."
