# SPDX-License-Identifier: MIT
"""The reader of the registry: the records that the wrapper keeps in the program's memory."""
