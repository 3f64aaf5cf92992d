# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# For scripts that run something in another Debian: source it, and call install_debian.

give_up() {
    echo "$(basename "$0" .sh | tr _ -): $*" >&2
    exit 2
}

# The codename of this machine's Debian; empty if it is not Debian.
codename() {
    # shellcheck source=/dev/null
    (. /etc/os-release && echo "${VERSION_CODENAME-}")
}

mirror() {
    # shellcheck disable=SC2016  # apt fills them in
    apt-get indextargets --format '$(RELEASE) $(SITE)' 'Created-By: Packages' 2>/dev/null |
        awk -v release="$(codename)" '$1 == release { print $2; exit }'
}

# make_root RELEASE PACKAGE...: installs $root.
# All mounts are made in a mount namespace of their own, and gone with its last process.
make_root() {
    local release=$1 from=${MPIPP_DEBIAN_MIRROR:-$(mirror)} log=$root.log
    [ -n "$from" ] || give_up "this machine's apt has no mirror: set MPIPP_DEBIAN_MIRROR"
    command -v debootstrap >/dev/null || give_up "install debootstrap: apt-get install debootstrap"
    echo "$(basename "$0" .sh | tr _ -): installing Debian $release in $root" >&2
    shift
    new=$(mktemp -d "$(dirname "$root")/.$(basename "$root").XXXXXX")
    trap 'rm -rf --one-file-system "$new"' EXIT
    unshare --mount bash -e -s "$new" "$release" "$from" "$@" >"$log" 2>&1 <<'END' ||
root=$1 release=$2 from=$3
shift 3
debootstrap --variant=minbase --foreign "$release" "$root" "$from"
mkdir -p "$root/etc/dpkg/dpkg.cfg.d"
printf '%s\n' force-unsafe-io 'path-exclude=/usr/share/doc/*' 'path-exclude=/usr/share/man/*' \
    'path-exclude=/usr/share/locale/*' >"$root/etc/dpkg/dpkg.cfg.d/fast"
chroot "$root" /debootstrap/debootstrap --second-stage
mount -t proc proc "$root/proc"
DEBIAN_FRONTEND=noninteractive chroot "$root" \
    apt-get install -q -y --no-install-recommends "$@"
rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/*
mkdir -p "$root/mpipp" "$root/var/mpipp"
END
        give_up "cannot install Debian $release: $(tail -n 1 "$log") (all of it: $log)"
    echo "$*" >"$new/var/mpipp.packages"
    chmod 755 "$new"
    rm -rf --one-file-system "$root"
    mv "$new" "$root"
    trap - EXIT
}

# install_debian NAME RELEASE PACKAGE...: makes the Debian NAME below the user's cache directory, if it
# is not there with these packages. Sets root to its directory, and locks it until the script ends.
install_debian() {
    local name=$1 release=$2 cache=${XDG_CACHE_HOME:-$HOME/.cache}/mpipp/distro
    shift 2
    [ "$(id -u)" = 0 ] || give_up "this needs root: it makes a Debian to change root into"
    unshare --mount true 2>/dev/null || give_up "this machine does not let root mount anything"
    root=$cache/$name
    mkdir -p "$cache"
    exec {lock}>"$root.lock"
    flock "$lock"
    [ "$(cat "$root/var/mpipp.packages" 2>/dev/null)" = "$*" ] || make_root "$release" "$@"
}
