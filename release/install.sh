#!/bin/sh
# Installs the released program: downloads the archive of this machine, checks its SHA-256 sum, and copies the program.
#   SNAPHOOK_VERSION   the version, such as 0.1.0; default: the newest
#   SNAPHOOK_BIN       the folder of the program; default: ~/.local/bin
#   SNAPHOOK_FROM      where the archives are; default: the releases on GitHub
set -eu
fail() { echo "install: $1" >&2; exit 1; }
case $(uname -s) in
Linux) system=unknown-linux-musl ;;
Darwin) system=apple-darwin ;;
*) fail "there is no program for $(uname -s)" ;;
esac
case $system:$(uname -m) in
apple-darwin:*) target=universal-apple-darwin ;;
*:x86_64 | *:amd64) target=x86_64-$system ;;
*:aarch64 | *:arm64) target=aarch64-$system ;;
*) fail "there is no program for $(uname -m)" ;;
esac
releases=https://github.com/snaphook/snaphook/releases
if [ -n "${SNAPHOOK_VERSION:-}" ]; then usual=$releases/download/v$SNAPHOOK_VERSION; else usual=$releases/latest/download; fi
from=${SNAPHOOK_FROM:-$usual}
bin=${SNAPHOOK_BIN:-${HOME:?}/.local/bin}
archive=snaphook-$target.tar.gz
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
get() {
    if command -v curl >/dev/null; then curl -fsSL --proto '=https,file' -o "$folder/$1" "$from/$1"; else wget -qO "$folder/$1" "$from/$1"; fi ||
        fail "$from/$1 cannot be downloaded"
}
get "$archive"
get "$archive.sha256"
cd "$folder"
if command -v sha256sum >/dev/null; then sha256sum -c "$archive.sha256" >/dev/null; else shasum -a 256 -c "$archive.sha256" >/dev/null; fi ||
    fail "$archive has another SHA-256 sum than the release"
tar xzf "$archive"
mkdir -p "$bin"
# A program that runs cannot be overwritten, but replaced.
cp "snaphook-$target/snaphook" "$bin/.snaphook.new"
chmod 755 "$bin/.snaphook.new"
mv -f "$bin/.snaphook.new" "$bin/snaphook"
"$bin/snaphook" --version
case :$PATH: in
*:"$bin":*) ;;
*) echo "$bin is not on PATH" ;;
esac
echo "Next: snaphook install"
