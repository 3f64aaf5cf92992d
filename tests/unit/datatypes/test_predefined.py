# SPDX-License-Identifier: MIT
"""Values as text. gdb 13 prints the expected texts for the same C values."""

from __future__ import annotations

import struct

import pytest

from mpipp.datatypes import predefined


def text(name: str, raw: bytes) -> str:
    return predefined.leaf(name, len(raw)).text(raw)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.1, "0.10000000000000001"),
        (1e22, "1e+22"),
        (1 / 3, "0.33333333333333331"),
        (1e16, "10000000000000000"),
        (123456789012345678.0, "1.2345678901234568e+17"),
        (1e-5, "1.0000000000000001e-05"),
        (1e-4, "0.0001"),
        (-0.0, "-0"),
        (5e-324, "4.9406564584124654e-324"),
        (1.7976931348623157e308, "1.7976931348623157e+308"),
        (float("inf"), "inf"),
        (float("-inf"), "-inf"),
    ],
)
def test_double(value: float, expected: str) -> None:
    assert text("MPI_DOUBLE", struct.pack("d", value)) == expected


@pytest.mark.parametrize(
    ("bits", "expected"),
    [
        (0xFFF8000000000000, "-nan(0x8000000000000)"),
        (0x7FF8000000000000, "nan(0x8000000000000)"),
        (0x7FF0000000000001, "nan(0x000000001)"),
        (0xFFF8000000000123, "-nan(0x8000000000123)"),
    ],
)
def test_double_nan_shows_its_payload(bits: int, expected: str) -> None:
    assert text("MPI_DOUBLE", struct.pack("Q", bits)) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.1, "0.100000001"),
        (1e22, "9.99999978e+21"),
        (16777216.0, "16777216"),
        (1e-45, "1.40129846e-45"),
    ],
)
def test_float(value: float, expected: str) -> None:
    assert text("MPI_FLOAT", struct.pack("f", value)) == expected


def test_float_nan() -> None:
    assert text("MPI_FLOAT", struct.pack("I", 0xFFC00000)) == "-nan(0x400000)"


@pytest.mark.parametrize(
    ("bits", "expected"),
    [(0x2E66, "0.099976"), (0x3E00, "1.5"), (0x7BFF, "65504"), (0x0001, "5.9605e-08")],
)
def test_half(bits: int, expected: str) -> None:
    assert text("MPI_REAL2", struct.pack("H", bits)) == expected


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0xCCCCCCCCCCCCCCCD, 0x3FFB, "0.100000000000000000001"),
        (0x878678326EAC9000, 0x4048, "1e+22"),
        (0xAAAAAAAAAAAAAAAB, 0x3FFD, "0.333333333333333333342"),
        (0x0000000663278E62, 0x0000, "9.99999999996053252001e-4941"),
        (0x0000000000000001, 0x0000, "3.64519953188247460253e-4951"),
        (0xC000000000000000, 0x3FFF, "1.5"),
        (0xC000000000000000, 0xBFFF, "-1.5"),
        (0, 0x8000, "-0"),
        (0x8000000000000000, 0xFFFF, "-inf"),
        (0xC000000000000800, 0x7FFF, "nan(0xc000000000000800)"),
        (0xC000000000091800, 0xFFFF, "-nan(0xc000000000091800)"),
        (0x0000000000000001, 0x3FFF, "<invalid float value>"),
    ],
)
def test_long_double(low: int, high: int, expected: str) -> None:
    raw = struct.pack("QH6s", low, high, b"padded")
    assert text("MPI_LONG_DOUBLE", raw) == expected


def test_quad_precision() -> None:
    one_and_a_half = (0x3FFF8 << 108).to_bytes(16, "little")
    assert text("MPI_REAL16", one_and_a_half) == "1.5"


@pytest.mark.parametrize(
    ("name", "raw", "expected"),
    [
        ("MPI_INT", struct.pack("i", -3), "-3"),
        ("MPI_UNSIGNED_LONG", struct.pack("Q", 2**64 - 1), "18446744073709551615"),
        ("MPI_INTEGER16", (-5).to_bytes(16, "little", signed=True), "-5"),
        ("MPI_SIGNED_CHAR", b"\xff", "-1"),
        ("MPI_UNSIGNED_CHAR", b"\xff", "255"),
        ("MPI_CHAR", b"a", "'a'"),
        ("MPI_CHAR", b"'", "'\\''"),
        ("MPI_CHAR", b'"', "'\"'"),
        ("MPI_CHAR", b"\0", "'\\000'"),
        ("MPI_CHAR", b"\xff", "'\\377'"),
        ("MPI_CHARACTER", b"\n", "'\\n'"),
        ("MPI_WCHAR", struct.pack("I", 0xE9), "L'\\351'"),
        ("MPI_BYTE", b"\x1f", "0x1f"),
        ("MPI_PACKED", b"\0", "0x0"),
        ("MPI_C_BOOL", b"\1", "true"),
        ("MPI_C_BOOL", b"\0", "false"),
        ("MPI_C_BOOL", b"\7", "7"),
        ("MPI_LOGICAL", struct.pack("i", 1), ".TRUE."),
        ("MPI_LOGICAL", struct.pack("i", 0), ".FALSE."),
        ("MPI_LOGICAL", struct.pack("i", -1), ".TRUE. (-1)"),
        ("MPI_C_DOUBLE_COMPLEX", struct.pack("2d", 1, -2.5), "1 + -2.5i"),
        ("MPI_C_FLOAT_COMPLEX", struct.pack("2f", 0.1, 1), "0.100000001 + 1i"),
        ("MPI_AINT", struct.pack("q", -1), "-1"),
        ("MPIX_SOMETHING", b"\x01\x02\x03", "0x030201"),
    ],
)
def test_every_class(name: str, raw: bytes, expected: str) -> None:
    assert text(name, raw) == expected


@pytest.mark.parametrize(
    ("name", "size", "layout", "alignment"),
    [
        ("MPI_SHORT_INT", 6, (2, 4, 4), 4),
        ("MPI_DOUBLE_INT", 12, (8, 4, 8), 8),
        ("MPI_LONG_DOUBLE_INT", 20, (16, 4, 16), 16),
        ("MPI_2INT", 8, (4, 4, 4), 4),
        ("MPI_2DOUBLE_PRECISION", 16, (8, 8, 8), 8),
    ],
)
def test_pair_layout(name: str, size: int, layout: tuple[int, int, int], alignment: int) -> None:
    assert predefined.pair_layout(name, size) == layout
    assert predefined.alignment(name, size) == alignment
