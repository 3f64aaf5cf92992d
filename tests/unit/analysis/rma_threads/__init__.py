# SPDX-License-Identifier: MIT
"""The order of the threads of one process."""
