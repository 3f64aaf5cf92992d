# SPDX-License-Identifier: MIT
"""Makes text from programs, files and other users harmless for terminals and browsers.

mpipp passes every name, path or message of foreign origin through `plain` before it prints it.
"""

from __future__ import annotations

import re

# Terminals obey the C0 and C1 controls. Other characters change the direction of text, or begin a
# line. Halves of surrogates cannot be encoded as UTF-8.
CONTROL = re.compile("[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_ESCAPES = {7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r"}


class Styled(str):
    """Text that `plain` has made harmless, with colours for the terminal."""


def plain(text: str, kept: str = "\n\t") -> str:
    """`text` with control characters escaped as gdb does in C strings: `\\033`, `\\u202e`.

    Args:
        kept: control characters that stay; "" for a name, which must not begin a line.
    """
    if text.isprintable() or isinstance(text, Styled):
        return text
    return CONTROL.sub(lambda found: found[0] if found[0] in kept else _escaped(found[0]), text)


def escape(code: int, quote: str) -> str:
    """Return one character of a C literal in `quote`s, escaped as gdb does.

    All characters except ASCII are escaped, because the terminal's character set is unknown here.
    """
    if code in _ESCAPES:
        return _ESCAPES[code]
    if code < 32 or 127 <= code <= 255:
        return f"\\{code:03o}"
    if code > 255:
        return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code & 0xFFFFFFFF:08x}"
    character = chr(code)
    return "\\" + character if character in ("\\", quote) else character


def _escaped(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # Python's character for a byte that is not UTF-8
        return escape(code - 0xDC00, "")
    if code > 255:
        return escape(code, "")
    return "".join(escape(byte, "") for byte in character.encode())
