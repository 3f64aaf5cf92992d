# SPDX-License-Identifier: MIT
"""Demangled names of functions."""

from __future__ import annotations

import pytest

from mpipp.symbolizer.demangle import source_name


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("main", "main"),
        ("", ""),
        ("omp_fn.0", "omp_fn.0"),
        ("main._omp_fn.0", "main (OpenMP region)"),
        ("jacobi_._omp_fn.12.part.0", "jacobi_ (OpenMP region)"),
        ("main.omp_outlined_debug__", "main (OpenMP region)"),
        ("main.omp_outlined.3", "main (OpenMP region)"),
        (".omp_outlined.", "an OpenMP region"),
        (".omp_outlined._debug__.7", "an OpenMP region"),
    ],
)
def test_what_compilers_make_of_parts_of_functions(name: str, text: str) -> None:
    assert source_name(name) == text
