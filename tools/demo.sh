#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Shows mpipp's main jobs: a program of two MPI processes stopped by gdb in MPI_Bcast, its datatype and
# its buffer printed, live and then from a core file; and a watched program in which one process
# receives what the other does not send, with the page that shows it.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$PWD/.venv/bin:$PATH"

mpicc=$(command -v mpicc.mpich || command -v mpicc)
mpiexec=$(command -v mpiexec.mpich || command -v mpiexec)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mpipp wrapper --mpicc "$mpicc" >"$work/wrapper"
"$mpicc" -g examples/particles.c -o "$work/particles"

cat >"$work/live.gdb" <<'EOF'
set width 0
set breakpoint pending on
break particles.c:40
run
echo \n(gdb) print fields            # the datatype, as its constructor was called\n
set print pretty on
print fields
set print pretty off
echo \n(gdb) mpipp particle          # its tree, with what the MPI library says of it\n
mpipp particle
break PMPI_Bcast
continue
mpipp frame
echo \n(gdb) mpipp list calls        # stopped inside MPI\n
mpipp list calls
echo \n(gdb) print particles         # the buffer, as MPI sees it\n
set print pretty on
print particles
gcore core.particles
kill
EOF
cat >"$work/core.gdb" <<'EOF'
set width 0
mpipp frame
echo \n(gdb) print fields\n
print fields
echo \n(gdb) mpipp particle particles 2\n
mpipp particle particles 2
echo \n(gdb) mpipp particle[0][1][5]   # the sixth character: where it is\n
mpipp particle[0][1][5]
EOF

quiet='^(\[|Using host|Breakpoint . at|warning: (Error|Memory|Can.t)|Saved|Thread|Core was|Kill the|$)|libthread_db'
echo "=== live: two processes, gdb on rank 0 ==="
root=$PWD
cd "$work"
"$mpiexec" -n 1 mpipp gdb -q -nx -batch -x live.gdb -- ./particles \
  : -n 1 env LD_PRELOAD="$(cat wrapper)" ./particles 2>&1 | grep -v -E "$quiet" || true
echo
echo "=== afterwards: the core file ==="
mpipp gdb -q -nx -batch -x core.gdb ./particles core.particles 2>&1 | grep -v -E "$quiet"
echo
echo "=== watched: four processes, and nobody stops them ==="
"$mpicc" -g "$root/examples/rows.c" -o rows
mpipp run --check --report report --mpiexec "$mpiexec" -n 4 -- ./rows wrong 2>&1
mkdir -p "$root/build/demo"
page=$root/build/demo/report.html
mpipp report report --format html -o "$page"
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] && command -v xdg-open >/dev/null; then
  xdg-open "$page" >/dev/null 2>&1 &
  echo "The same as a page, with both sides, their datatypes and memory: opening $page"
else
  echo "The same as a page, with both sides, their datatypes and memory: open $page in a browser"
fi
