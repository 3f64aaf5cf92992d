# SPDX-License-Identifier: MIT
"""A pass over LLVM's textual IR: fewer checks in loops, and none of private local variables."""
