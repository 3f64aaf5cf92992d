# SPDX-License-Identifier: MIT
"""Functions from what processes have recorded to findings; one module for each question.

The package itself loads none of them: `mpipp run` needs only the rules. `every` has all checks.
"""
