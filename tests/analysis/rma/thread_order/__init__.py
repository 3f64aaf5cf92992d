# SPDX-License-Identifier: MIT
"""The order of threads of one process."""
