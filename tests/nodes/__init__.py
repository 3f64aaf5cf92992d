# SPDX-License-Identifier: MIT
"""Jobs on several nodes: namespaces of this machine, which ssh connects."""
