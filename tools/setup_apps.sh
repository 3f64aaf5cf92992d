#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs the programs that `make test-apps` runs; as root, or it says the command.
set -euo pipefail
packages=(lammps lammps-examples hpcc netpipe-openmpi netpipe-mpich2 scalapack-mpi-test
    scalapack-test-common python3-h5py-mpi python3-mpi4py-fft libfftw3-mpi-dev libboost-mpi-dev
    libpetsc-real-dev libpetsc3.18-dev-examples pkg-config)
missing=()
for package in "${packages[@]}"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' ||
        missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0
install=(apt-get install -q -y --no-install-recommends "${missing[@]}")
if [ "$(id -u)" = 0 ]; then
    apt-get update -q >&2 || true
    DEBIAN_FRONTEND=noninteractive "${install[@]}" >&2
elif sudo -n true 2>/dev/null; then
    sudo -n apt-get update -q >&2 || true
    sudo -n env DEBIAN_FRONTEND=noninteractive "${install[@]}" >&2
else
    echo "setup: install the missing packages with: sudo ${install[*]}" >&2
    exit 2
fi
