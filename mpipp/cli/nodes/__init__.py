# SPDX-License-Identifier: MIT
"""The other nodes of a running job: find them, and let an agent on each node read its processes."""
