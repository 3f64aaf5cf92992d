# SPDX-License-Identifier: MIT
"""Why does a job hang: who waits for whom, and who can never go on?

`waits` tells of each call what it waits for, from active calls, pending requests and the ordinals
that all processes count by themselves; `graph` who can never go on; `report` says it in words. The
package itself loads none of them.
"""
