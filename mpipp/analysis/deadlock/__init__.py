# SPDX-License-Identifier: MIT
"""The explanation of a hang: which processes wait for each other, and which can never continue.

`waits` has the conditions that each call waits for. The conditions come from active calls, pending
requests and the ordinals that each process counts by itself. `wait_graph` finds the processes that
can never continue; `analysis` explains one hang. The package itself loads none of these modules.
"""
