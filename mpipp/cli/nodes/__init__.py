# SPDX-License-Identifier: MIT
"""The other nodes of a running job: which they are, and what an agent reads on each."""
