# SPDX-License-Identifier: MIT
"""The processes that checks work on, and queries of their records that several checks share."""
