#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# cluster.sh ROOT DIRECTORY NAME...: nodes in namespaces of their own, each with the sshd in DIRECTORY.
# The nodes share ROOT, even if it is below /tmp.
# It runs in the namespaces of the head node, until its input ends.
set -euo pipefail
root=$1 directory=$2
shift 2
hostname head
ip link set lo up
# UCX leaves bridges out, so the head has an end of a pair, too.
ip link add br0 type bridge
ip link set br0 up
ip link add eth0 type veth peer name head0
ip addr add 10.77.0.1/24 dev eth0
ip link set eth0 up
ip link set head0 master br0
ip link set head0 up
{
    echo "127.0.0.1 localhost"
    echo "10.77.0.1 head"
    number=1
    for name; do echo "10.77.0.$((++number)) $name"; done
} >"$directory/hosts"
{
    grep -v ^sshd: /etc/passwd
    echo "sshd:x:65533:65534::/run/sshd:/usr/sbin/nologin"
} >"$directory/passwd"
mount --bind "$directory/hosts" /etc/hosts
mount --bind "$directory/passwd" /etc/passwd
number=1
for name; do
    number=$((number + 1))
    mkfifo "$directory/$name.go"
    # The directories that nodes do not share are empty at first.
    unshare --net --uts --mount --ipc --pid --fork --kill-child bash -euc "
        hostname $name
        mount -t proc proc /proc
        exec 8<'$root'
        for directory in /tmp /run /dev/shm; do mount -t tmpfs none \$directory; done
        case '$root' in /tmp/* | /run/* | /dev/shm/*)
            mkdir -p '$root'
            mount --no-canonicalize --bind /proc/self/fd/8 '$root'
        esac
        exec 8<&-
        mkdir /run/sshd
        read -r _ <'$directory/$name.go'
        ip link set lo up
        ip addr add 10.77.0.$number/24 dev eth0
        ip link set eth0 up
        exec '$directory/sshd' -D -e -f '$directory/sshd_config'
    " >"$directory/$name.log" 2>&1 </dev/null &
    process=$!
    until [ "$(readlink /proc/$process/ns/net)" != "$(readlink /proc/$$/ns/net)" ]; do sleep 0.02; done
    ip link add "node$number" type veth peer name eth0 netns $process
    ip link set "node$number" master br0
    ip link set "node$number" up
    # A node that has ended cannot be told to go on.
    timeout 30 sh -c "echo >'$directory/$name.go'"
done
echo $$
read -r _ || true
# shellcheck disable=SC2046
kill -KILL $(jobs -p)
wait 2>/dev/null || true
