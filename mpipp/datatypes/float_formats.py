# SPDX-License-Identifier: MIT
"""Floating-point bits as the text that gdb prints, exact for every format of MPI programs.

The text is C's %g with enough digits to round-trip; a NaN shows its payload. Python's floats
compute it for formats of up to 8 bytes, integer arithmetic for wider ones.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Mapping

from mpipp.common.lazy_dataclass import dataclass


@dataclass(frozen=True)
class FloatFormat:
    """A binary floating-point format: from the lowest bit fraction, exponent, sign.

    Attributes:
        explicit: whether the leading 1 of the significand is stored (x87).
        digits: decimal digits that are enough to round-trip.
        code: the `struct` code if Python decodes the format itself.
    """

    fraction: int
    exponent: int
    digits: int
    code: str | None = None
    explicit: bool = False


FORMATS: Mapping[object, FloatFormat] = {
    2: FloatFormat(10, 5, 5, "e"),
    4: FloatFormat(23, 8, 9, "f"),
    8: FloatFormat(52, 11, 17, "d"),
    16: FloatFormat(112, 15, 36),
    "x87": FloatFormat(64, 15, 21, explicit=True),
}


def text(raw: bytes, form: FloatFormat) -> str:
    """Return the value of `raw` as gdb prints it.

    `raw` has the bytes in native order; padding behind the value is ignored.
    """
    bits = int.from_bytes(raw[: (form.fraction + form.exponent + 8) // 8], sys.byteorder)
    fraction = bits & ((1 << form.fraction) - 1)
    exponent = bits >> form.fraction & ((1 << form.exponent) - 1)
    sign = "-" if bits >> (form.fraction + form.exponent) & 1 else ""
    integer_bit = 1 << (form.fraction - 1) if form.explicit else 0
    if exponent == (1 << form.exponent) - 1:
        if form.explicit and not fraction & integer_bit:
            return "<invalid float value>"
        if not fraction & ~integer_bit:
            return sign + "inf"
        return f"{sign}nan(0x{_payload(fraction, form.fraction)})"
    if form.explicit and exponent and not fraction & integer_bit:
        return "<invalid float value>"
    if form.code is not None:
        return f"%.{form.digits}g" % struct.unpack("=" + form.code, raw)
    if not form.explicit and exponent:
        fraction |= 1 << form.fraction
    bias = (1 << (form.exponent - 1)) - 1
    scale = max(exponent, 1) - bias - form.fraction + int(form.explicit)
    return sign + _general(fraction, scale, form.digits)


def _payload(fraction: int, bits: int) -> str:
    # gdb prints the payload in pieces of 32 bits, and pads all except the first with zeros.
    parts = (bits - 1) // 32
    head = f"{fraction >> 32 * parts:x}"
    return head + (f"{fraction & ((1 << 32 * parts) - 1):0{8 * parts}x}" if parts else "")


def _general(significand: int, scale: int, digits: int) -> str:
    # C's %.{digits}g of significand * 2**scale, correctly rounded (ties to even).
    if not significand:
        return "0"
    # Estimates the decimal exponent from the binary one, never too large: log10(2) = 0.301029995...
    binary = significand.bit_length() + scale - 1
    power = binary * (30102 if binary >= 0 else 30103) // 100000
    while True:
        rounded = _scaled(significand, scale, digits - 1 - power)
        if rounded < 10**digits:
            break
        power += 1
    text = str(rounded)
    if -4 <= power < digits:
        if power < 0:
            whole, part = "0", "0" * (-power - 1) + text
        else:
            whole, part = text[: power + 1], text[power + 1 :]
        part = part.rstrip("0")
        return f"{whole}.{part}" if part else whole
    part = text[1:].rstrip("0")
    mantissa = f"{text[0]}.{part}" if part else text[0]
    return f"{mantissa}e{'-' if power < 0 else '+'}{abs(power):02d}"


def _scaled(significand: int, scale: int, power: int) -> int:
    # round(significand * 2**scale * 10**power)
    numerator: int = significand * 10 ** max(power, 0) << max(scale, 0)
    denominator: int = 10 ** max(-power, 0) << max(-scale, 0)
    quotient, rest = divmod(numerator, denominator)
    if 2 * rest > denominator or (2 * rest == denominator and quotient & 1):
        quotient += 1
    return quotient
