#!/bin/sh
# SPDX-License-Identifier: MIT
# Writes docs/reference/gdb.md from the help of the commands and settings that mpipp registers in gdb;
# --check only compares, and exits 1 on a difference.
set -eu
cd "$(dirname "$0")/.."
new=$(mktemp)
trap 'rm -f "$new"' EXIT
gdb -nx -q -batch -iex "source mpipp/gdb_printers.py" -x tools/commands_doc.py >"$new"
if cmp -s "$new" docs/reference/gdb.md; then
    exit 0
elif [ "${1-}" = --check ]; then
    echo "docs/reference/gdb.md: differs from what is generated: run make docs"
    exit 1
fi
cat "$new" >docs/reference/gdb.md
echo "docs/reference/gdb.md: written"
