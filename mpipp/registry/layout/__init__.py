# SPDX-License-Identifier: MIT
"""The layout of records, as the registry itself describes it."""
