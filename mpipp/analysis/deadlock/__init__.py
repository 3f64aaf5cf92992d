# SPDX-License-Identifier: MIT
"""Why does a job hang: which process waits for which, and which can never continue?

`waits` has the conditions that each call waits for. They come from active calls, pending requests
and the ordinals that all processes count by themselves. `wait_graph` finds the processes that can
never continue; `analysis` explains one hang. The package itself loads none of them.
"""
