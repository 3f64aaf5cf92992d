# SPDX-License-Identifier: MIT
"""The checks: functions from the records of processes to findings.

The package itself loads no check, because `mpipp run` needs only the rules. `all_checks` runs all.
"""
