# SPDX-License-Identifier: MIT
"""A pass over LLVM's textual IR: it moves checks out of loops, and removes those of local variables
whose address does not escape."""
