# SPDX-License-Identifier: MIT
"""Tests of the pass over the text of Clang's modules."""
