# SPDX-License-Identifier: MIT
"""The file of one process: writing and reading of the model's records."""
