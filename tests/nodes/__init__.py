# SPDX-License-Identifier: MIT
"""Tests of jobs on several nodes. The nodes are namespaces of this machine, and ssh
connects them."""
