# SPDX-License-Identifier: MIT
"""The pass over LLVM's textual IR: fewer checks in loops, none of private locals."""
