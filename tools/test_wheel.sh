#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs the wheel of `make wheels` in a Debian that has MPI libraries, but no compiler, and checks
# a wrong program with it on each library. It prints the time of the first and the second run.
# That Debian stays below the user's cache directory; removing it is safe.
set -euo pipefail
repository=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tools/debian_root.sh
. "$repository/tools/debian_root.sh"

# This Debian, so that the programs compiled here run there.
release=$(codename)
[ -n "$release" ] || give_up "this machine has no Debian"
wheels=("$repository"/dist/mpipp-*-manylinux*_"$(uname -m)".whl)
[ -e "${wheels[0]}" ] || give_up "dist/ has no wheel for $(uname -m): type make wheels"

install_debian "$release-no-compiler" "$release" mpich openmpi-bin python3 python3-venv

here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
cp "${wheels[@]}" "$here"
# The packages that mpipp needs are for the Python there, which is this Debian's.
/usr/bin/python3 -m venv "$here/python"
"$here/python/bin/pip" download -q --disable-pip-version-check -d "$here" "${wheels[@]}"
rm -r "$here/python"
cat >"$here/program.c" <<'END'
#include <mpi.h>
int main(int argc, char **argv) {
  int rank;
  double row[4] = {0};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) MPI_Send(row, 4, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(row, 4, MPI_INT64_T, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
}
END
for mpi in mpich openmpi; do
    "mpicc.$mpi" -g -o "$here/$mpi" "$here/program.c"
done

unshare --mount --pid --fork --kill-child bash -e -s "$root" "$here" <<'END'
root=$1 here=$2
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --rbind /sys "$root/sys"
mount --bind "$here" "$root/mpipp"
rm -rf --one-file-system "${root:?}"/tmp/*
echo "127.0.0.1 localhost $(uname -n)" >"$root/etc/hosts"
chroot "$root" env -i -C /mpipp PATH=/tmp/venv/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LC_ALL=C.UTF-8 \
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 bash -euo pipefail -s <<'IN'
exec 2>&1 # the times come with their names
fail() {
    echo "test-wheel: $*" >&2
    exit 1
}
! command -v cc gcc clang ld || fail "there is a compiler"
TIMEFORMAT='%R s (user %U s, system %S s)'
python3 -m venv /tmp/venv
printf 'pip install: '
time pip install -q --disable-pip-version-check --no-index --find-links . mpipp
for mpi in mpich openmpi; do
    launcher=mpiexec.$mpi
    [ $mpi = mpich ] || launcher+=" --oversubscribe"
    for count in first second; do
        printf '%s, %s run: ' "$mpi" "$count"
        time mpipp run --check -n 2 --mpiexec "$launcher" -- "./$mpi" >/tmp/out 2>&1
        grep -q 'MPI_DOUBLE is sent, MPI_INT64_T received' /tmp/out || fail "mpipp does not report the error: $(cat /tmp/out)"
    done
done
IN
END
