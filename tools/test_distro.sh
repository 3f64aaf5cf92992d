#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs the debugger's tests in another Debian, with its gdb, Python, compilers and MPI libraries.
#   tools/test_distro.sh trixie|bullseye [--install | PYTEST-ARGUMENT...]
# The first run installs that Debian below the user's cache directory, from the mirror that this
# machine's apt uses (or $MPIPP_DEBIAN_MIRROR). It stays there for the next; removing it is safe.
# With --install that is all.
set -euo pipefail
repository=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tools/debian_root.sh
. "$repository/tools/debian_root.sh"
packages=(gdb gcc g++ gfortran libmpich-dev mpich libopenmpi-dev openmpi-bin procps
    python3-pexpect python3-pyelftools python3-pytest python3-pytest-timeout python3-pytest-xdist)
# What of the tests makes sense there; the pure ones too, for the age of Python.
selected=(tests/gdb tests/languages tests/unit tests/faults/test_fuzz.py)
# The repository's own tools use packages of .venv.
selected+=(--ignore=tests/unit/tools)
# What needs DDD, mpi4py, or more packages of Python for gdb: none of them is there.
for lacking in gdb/front_ends/test_ddd.py gdb/values/test_python_names.py gdb/front_ends/test_colour.py \
    gdb/values/test_languages.py::test_mpi4py gdb/values/test_languages.py::test_lines_of_python \
    gdb/commands/test_make.py::test_mpi4py_runs_and_is_right \
    gdb/processes/test_all_ranks.py::test_python \
    dap/test_session.py::test_frames_of_python_are_its_lines \
    unit/distributed/test_select_channels.py::test_several_processes_share_the_work \
    unit/distributed/test_comm_order.py::test_several_processes_share_the_work; do
    selected+=(--deselect "tests/$lacking")
done
# The same arithmetic for long, on any system: shorter ones of its kind are left for the age of Python.
for long in 'faults/test_fuzz.py::test_random_damage['{1,2}']' \
    unit/datatypes/test_buffer_overlap.py::test_random_buffers \
    unit/datatypes/test_signatures.py::test_random_signatures \
    unit/registry/test_rma_log_damage.py::test_nasty_values_in_each_word_of_each_sort_of_entry \
    unit/registry/test_rma_log_damage.py::test_what_comes_before_a_cut_in_the_middle_of_an_entry_is_analysed \
    'unit/analysis/rma/test_random_programs.py::test_conflicts_are_those_of_the_oracle[4096]' \
    'unit/datatypes/test_strided_sets.py::test_random_combs[20000-16-200000-16]'; do
    selected+=(--deselect "tests/$long")
done

# mpis: the ids of tests/support/mpi_builds.py that the MPI libraries of a release have.
case ${1-} in
trixie) mpis=mpich4,openmpi5 ;;
bullseye) mpis=mpich3,openmpi4 ;;
*) give_up "say which Debian: make test-distro DISTRO=trixie or DISTRO=bullseye" ;;
esac
release=$1
shift

# mpipp debug and dap need gdb 11, and bullseye has gdb 10. With gdb 16 one test of dap waited for
# ever in one of some 70 runs, for an unknown reason.
[ "$release" = bullseye ] || selected+=(tests/debug tests/dap/test_session.py
    --deselect tests/dap/test_session.py::test_a_signal_is_an_exception_and_an_end_an_event)

install_debian "$release" "$release" "${packages[@]}"
[ "${1-}" != --install ] || exit 0

# The repository can be read there, what the tests build stays with that Debian.
mkdir -p "$repository/build"
exec unshare --mount --pid --fork --kill-child bash -e -s \
    "$root" "$repository" "$mpis" "${selected[@]}" "$@" <<'END'
root=$1 repository=$2 mpis=$3
shift 3
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --rbind /sys "$root/sys"
mount --bind "$repository" "$root/mpipp"
mount -o remount,bind,ro "$root/mpipp"
mount --bind "$root/var/mpipp" "$root/mpipp/build"
[ ! -e "$repository/.venv" ] || mount -t tmpfs -o ro tmpfs "$root/mpipp/.venv"
rm -rf --one-file-system "${root:?}"/tmp/*
echo "127.0.0.1 localhost $(uname -n)" >"$root/etc/hosts"
# The older pytest starts tests in threads. Many tests wait
# for others' ends: four at a time keep two processors busy. What Python compiles is kept, for each gdb.
exec chroot "$root" env -i -C /mpipp PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
    PYTHONPATH=/mpipp PYTHONPYCACHEPREFIX=/mpipp/build/python MPIPP_TEST_MPIS="$mpis" CI="${CI-}" \
    python3 -m pytest -n 4 -q --short -p no:cacheprovider --timeout-method thread \
    -W ignore::pytest.PytestConfigWarning "$@" </dev/null
END
