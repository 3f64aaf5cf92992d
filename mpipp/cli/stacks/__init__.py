# SPDX-License-Identifier: MIT
"""The stacks of a running job's processes, without a debugger."""
