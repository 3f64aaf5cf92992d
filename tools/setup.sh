#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs what building and testing mpipp needs: Debian packages, and Python environments in .venv.
# A second run changes nothing. What cannot be installed is one sentence and exit 2.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(valgrind mpich libmpich-dev openmpi-bin libopenmpi-dev gdb gcc g++ gfortran clang clang-format
    debootstrap ddd xvfb xdotool imagemagick git procps python3-venv python3-pygments
    python3-dbg python3-mpi4py gdbserver openssh-client iproute2 emacs-nox elpa-dap-mode
    bash-completion zsh fish dpkg-dev)
# A compiler and an emulator for aarch64, which a test of the recorder uses on x86-64.
if [ "$(uname -m)" = x86_64 ]; then
    packages+=(qemu-user-static gcc-aarch64-linux-gnu libc6-dev-arm64-cross)
fi
# For the pages of reports; not every system that is like Debian has it.
browser=chromium-headless-shell

# For the window of mpipp browse, where Python comes without.
python3 -c 'import tkinter' 2>/dev/null || packages+=(python3-tk)

say() { echo "setup: $*" >&2; }

give_up() {
    say "$@"
    exit 2
}

is_installed() {
    dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q '^install ok installed$'
}

# Of install_packages' missing ones, where there is none to be had.
drop_browser() {
    if [[ ${missing[-1]} == "$browser" ]] && ! apt-cache show $browser >/dev/null 2>&1; then
        say "there is no $browser here: what it tests is skipped"
        unset 'missing[-1]'
    fi
}

install_packages() {
    # Lmod reads the environment modules. It conflicts with environment-modules.
    is_installed environment-modules || packages+=(lmod)
    local missing=() package
    for package in "${packages[@]}"; do
        is_installed "$package" || missing+=("$package")
    done
    is_installed $browser || missing+=($browser)
    [ ${#missing[@]} -gt 0 ] || return 0
    local as_root=()
    if [ "$(id -u)" != 0 ]; then
        if sudo -n true 2>/dev/null; then
            as_root=(sudo -n)
        else
            drop_browser
            [ ${#missing[@]} -gt 0 ] || return 0
            give_up "install the missing packages with: sudo apt-get install ${missing[*]}"
        fi
    fi
    say "installing ${missing[*]}"
    # A package list that is not the newest may do.
    "${as_root[@]}" apt-get update -q >&2 || say "apt-get update failed, going on"
    drop_browser
    # env: sudo passes no variables on.
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y \
        --no-install-recommends "${missing[@]}" >&2 ||
        give_up "apt-get cannot install ${missing[*]}: it says why above"
}

# environment DIR PACKAGE...: a virtual environment holding these packages.
environment() {
    local dir=$1
    shift
    [ -x "$dir/bin/python" ] || python3 -m venv "$dir"
    say "installing into $dir: $*"
    "$dir/bin/python" -m pip install -q --disable-pip-version-check "$@" >&2 ||
        give_up "pip cannot install $*: it says why above"
}

# The dev group of pyproject.toml, read here because older pips do not know dependency groups.
dev_group() {
    .venv/bin/python - <<'PY'
import re
text = open("pyproject.toml").read()
group = re.search(r"\[dependency-groups\]\s*dev = \[(.*?)\]", text, re.S).group(1)
print(*re.findall(r'"(.+?)"', group))
PY
}

# axe-core, which finds what hinders readers of a page: one file of a package, without the browsers
# that the package needs.
accessibility_checker() {
    local package=axe-playwright-python==0.1.8 dir=.venv/axe-core
    say "installing into $dir: $package"
    .venv/bin/python -m pip install -q --disable-pip-version-check --no-deps --upgrade \
        --target "$dir" "$package" >&2 || give_up "pip cannot install $package: it says why above"
}

# unpack DIR TESTS PACKAGE...: unpacks packages whose installation would start services or open ports.
unpack() {
    local dir=$1 tests=$2 packages
    shift 2
    [ ! -d "$dir/usr" ] || return 0
    say "unpacking into $dir: $*"
    mkdir -p "$dir"
    packages=$(mktemp -d)
    if (cd "$packages" && apt-get download -q "$@" >&2); then
        for package in "$packages"/*.deb; do dpkg-deb -x "$package" "$dir"; done
    else
        say "apt-get cannot download $*: $tests are skipped"
    fi
    rm -r "$packages"
}

# The test client of the Debug Adapter Protocol. Debian's npm would bring hundreds of packages: it is
# only used if it is there.
protocol_client() {
    local package=@vscode/debugadapter-testsupport@1.68.0 dir=.venv/node
    if ! command -v npm >/dev/null; then
        say "there is no npm here: the tests with $package are skipped"
        return
    fi
    say "installing into $dir: $package"
    mkdir -p "$dir"
    npm install --silent --no-audit --no-fund --ignore-scripts --no-save --prefix "$dir" \
        "$package" >&2 || give_up "npm cannot install $package: it says why above"
}

# The tools for `make packages`, and those of other package managers for tests of their recipes.
packaging_tools() {
    if .venv/bin/python -c 'import sys; sys.exit(sys.version_info >= (3, 10))'; then
        say "Python is older than 3.10: the tests with tools of other package managers are skipped"
        return
    fi
    environment .venv/packaging easybuild-framework easybuild-easyblocks py-rattler-build \
        twine cyclonedx-bom
}

if command -v dpkg-query >/dev/null; then
    install_packages
    unpack .venv/openssh "tests of several nodes" openssh-server libwrap0
    unpack .venv/slurm "tests with Slurm" slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge libmunge2
else
    say "not a Debian system: install MPICH, Open MPI, gdb, gcc, clang, clang-format and gfortran"
fi
[ -x .venv/bin/python ] || python3 -m venv .venv
# shellcheck disable=SC2046
environment .venv $(dev_group) -e .
environment .venv/mpich mpich mpi4py numpy coverage
environment .venv/openmpi openmpi mpi4py numpy coverage
# Intel MPI, for x86-64 only. It needs the package libfabric only between nodes.
if [ "$(uname -m)" = x86_64 ] && [ ! -x .venv/impi/bin/mpicc ]; then
    environment .venv/impi --no-deps impi-rt impi-devel
fi
packaging_tools
accessibility_checker
protocol_client
