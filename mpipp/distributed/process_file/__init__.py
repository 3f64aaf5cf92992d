# SPDX-License-Identifier: MIT
"""The file of one process: records of the model, written and read."""
