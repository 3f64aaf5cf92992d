# SPDX-License-Identifier: MIT
"""Words that the project avoids, and the words to write instead."""

from __future__ import annotations

import re

_WORDS = (
    (r"told|tells? of|telling of", '"report" (a finding), "know" or "distinguish"'),
    (r"given (?:back|up)|gives? (?:back|up)|giving (?:back|up)", '"freed", "freed while active"'),
    (r"given to", '"passed to"'),
    (r"(?:is|are|was|were|be|been|been long|is long) over", '"completed"'),
    (r"heard (?:of|nothing|from)|hears? of", '"happens before", "is ordered after"'),
    (r"(?:has|have|had|having) in common", '"overlaps"; "shares"; of messages "matches"'),
    (r"alike", '"equal", "also"'),
    (r"look(?:ed|s|ing) at", '"checked", "guarded" or "instrumented"'),
    (r"unkind", '"adversarial"'),
    (r"junk", '"fill pattern"'),
    (r"combs?", '"strided blocks"'),
    (r"digests?", '"fingerprint"'),
    (r"unordered|nothing orders|nothing has ordered", '"data race", "concurrent"'),
    (
        r"(?:that|which|while|as long as) MPI has(?=[.,;:]|$| (?:it|them|or|and)\b)",
        '"of a pending operation"',
    ),
    (r"(?:is|are|was|were) of (?:no|an?|the|this|that|one|another)", '"belongs to", "from"'),
    (r"not told", '"unknown", "not reported"'),
    (r"(?:is|are|was|were|be|been|being) given(?! (?:name|rank|type)\b)", '"gets", "is passed"'),
    (r"s(?:ays?|aid|aying) of", '"report on", "print"'),
    (r"hears?|heard|hearing", '"learn of", "is ordered after"'),
    (r"(?<![-=`./])provok(?:e|es|ed|ing)(?![-./])", '"perturb"'),
    (r"rooms?", '"capacity", "space", "folder"'),
    (r"(?:go|goes|going|went|gone) on", '"continue"; of operations "is active"'),
    (r"for ever|now and then", '"forever", "sometimes"'),
)

GLOSSARY = tuple(
    (re.compile(rf"\b(?:{words})\b", re.IGNORECASE), instead) for words, instead in _WORDS
)
