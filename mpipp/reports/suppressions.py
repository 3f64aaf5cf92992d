# SPDX-License-Identifier: MIT
"""Known findings to suppress, from a file with the reasons.

The file has a section for each suppression. The section's title is the reason. All patterns of a
section must match one place of the finding.

    [PETSc keeps its row type, issue 12]
    check = datatype-leak
    library = libpetsc.so*
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from mpipp.analysis.rules import RULES
from mpipp.common.errors import MpippError
from mpipp.symbolizer.source_frames import Frame

_CONDITIONS = ("check", "function", "file", "library")


class Suppression(NamedTuple):
    """Patterns with the wildcards of a shell; "" matches anything."""

    reason: str
    check: str  # the name of a check, or the id of a rule
    function: str
    file: str  # the end of a path
    library: str

    def fits(self, names: Iterable[str], frame: Frame | None) -> bool:
        """Return whether the patterns match a finding with these names at this place."""
        if self.check and not any(fnmatchcase(name, self.check) for name in names):
            return False
        if frame is None:
            return not (self.function or self.file or self.library)
        path = "/" + frame.path.lstrip("/")
        return (
            _fits(frame.function, self.function)
            and _fits(frame.library, self.library)
            and (not self.file or fnmatchcase(path, "*/" + self.file.lstrip("/")))
        )


def _fits(name: str, pattern: str) -> bool:
    return not pattern or fnmatchcase(name, pattern)


class Suppressions:
    """The suppressions of a file, in their order."""

    def __init__(self, known: Sequence[Suppression] = ()) -> None:
        self.known = known

    def reason(self, names: Sequence[str], places: Sequence[Frame]) -> str:
        """The reason for suppressing a finding; "" if it is not suppressed.

        Args:
            names: the name of its check, and the id of its rule.
            places: the places of all its parties.
        """
        for one in self.known:
            if any(one.fits(names, frame) for frame in places or (None,)):
                return one.reason
        return ""


def read(path: str) -> Suppressions:
    """The suppressions of a file; none for the path "". Raises MpippError for an invalid file."""
    if not path:
        return Suppressions()
    import configparser  # imported only here, because few runs need it

    parser = configparser.RawConfigParser(
        delimiters=("=",), comment_prefixes=("#",), default_section="", empty_lines_in_values=False
    )
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    try:
        with open(path, encoding="utf-8") as file:
            parser.read_file(file)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise MpippError(f"cannot read {path}: {reason}") from None
    except configparser.ParsingError as error:
        lines = getattr(error, "errors", None) or [(getattr(error, "lineno", 0), "")]
        raise MpippError(
            f"{path}:{lines[0][0]}: a line must be [REASON], or NAME = PATTERN below a [REASON]"
        ) from None
    except (configparser.DuplicateSectionError, configparser.DuplicateOptionError) as error:
        what = getattr(error, "option", "") or f"[{error.section}]"
        raise MpippError(f"{path}:{error.lineno}: {what} is there twice") from None
    return Suppressions([_suppression(title, parser[title], path) for title in parser.sections()])


def _suppression(title: str, section: Mapping[str, str], path: str) -> Suppression:
    where = f"{path}: [{title}]"
    for name in section:
        if name not in _CONDITIONS:
            raise MpippError(f"{where}: {name} must be one of {', '.join(_CONDITIONS)}")
    if not title.strip():
        raise MpippError(f"{where}: write between the brackets why mpipp suppresses the finding")
    if not any(section.values()):
        raise MpippError(
            f"{where}: write which findings to suppress, with {', '.join(_CONDITIONS)}"
        )
    check = section.get("check", "")
    names = {*RULES, *(rule.check for rule in RULES.values())}
    if check and not any(fnmatchcase(name, check) for name in names):
        raise MpippError(f"{where}: there is no check {check}: docs/reference/checks has them all")
    others = (section.get(name, "") for name in _CONDITIONS[1:])
    return Suppression(title.strip(), check, *others)
