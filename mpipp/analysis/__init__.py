# SPDX-License-Identifier: MIT
"""The checks: functions from the records of processes to findings.

The package itself loads none of them: `mpipp run` needs only the rules. `runner` runs them all.
"""
