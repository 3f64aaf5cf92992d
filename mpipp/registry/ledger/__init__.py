# SPDX-License-Identifier: MIT
"""The history of calls, which the wrapper stores compressed."""
