# SPDX-License-Identifier: MIT
"""The history of calls, as the wrapper compresses it."""
