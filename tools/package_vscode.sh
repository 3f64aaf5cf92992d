#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Tests the extension for Visual Studio Code, and packages it into dist/.
set -euo pipefail
cd "$(dirname "$0")/.."

package=@vscode/vsce@3.6.2 dir=build/vsce

give_up() {
    echo "package_vscode: $*" >&2
    exit 2
}

command -v npm >/dev/null || give_up "there is no npm: install Node.js 20 or newer"
node --test editors/vscode/test/ >&2 || give_up "a test of the extension fails: see above"
if [ ! -x $dir/node_modules/.bin/vsce ]; then
    mkdir -p $dir
    npm install --silent --no-audit --no-fund --ignore-scripts --no-save --prefix $dir $package >&2 ||
        give_up "npm cannot install $package: it says why above"
fi
mkdir -p dist
out=$PWD/dist
licence=$PWD/editors/vscode/LICENSE
cp LICENSE "$licence"
trap 'rm -f "$licence"' EXIT
cd editors/vscode
"../../$dir/node_modules/.bin/vsce" package --no-dependencies --allow-missing-repository \
    --out "$out/" >&2 || give_up "vsce cannot package the extension: it says why above"
ls "$out"/mpipp-*.vsix
