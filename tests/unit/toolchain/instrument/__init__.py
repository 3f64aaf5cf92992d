# SPDX-License-Identifier: MIT
"""Tests of the pass over LLVM's textual IR."""
