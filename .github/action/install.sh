#!/usr/bin/env bash
# Gets the aidd binary for action.yml.
#   install.sh release   the released binary that this commit names in `release`, checked by its
#                        sha256; writes the outputs `from` (release or source), `binary`, `folder`, `key`
#   install.sh build     builds AIDD_BINARY from this checkout, unless it is there already
# Runs on Bash 3.2 (macOS) and Git Bash (Windows) too.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
temp=${RUNNER_TEMP:?}
cache=${RUNNER_TOOL_CACHE:-$temp}/aidd
exe=aidd
if [ "${RUNNER_OS:?}" = Windows ]; then exe=aidd.exe; fi

say() { printf 'aidd: %s\n' "$*"; }

die() {
  printf '::error title=aidd::%s\n' "${*//$'\n'/ }"
  exit 2
}

output() { printf '%s=%s\n' "$1" "$2" >>"${GITHUB_OUTPUT:?}"; }

target() {
  case "$RUNNER_OS-${RUNNER_ARCH:?}" in
    Linux-X64) echo x86_64-unknown-linux-musl ;;
    Linux-ARM64) echo aarch64-unknown-linux-musl ;;
    macOS-X64) echo x86_64-apple-darwin ;;
    macOS-ARM64) echo aarch64-apple-darwin ;;
    # Windows on ARM64 runs x64 programs too.
    Windows-X64 | Windows-ARM64) echo x86_64-pc-windows-msvc ;;
    *) ;;
  esac
}

# The sha256 of standard input. macOS has no sha256sum before version 15.
sha256() {
  if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi | cut -d ' ' -f 1
}

# Writes what lies at the address $1 to the file $2; fails when nothing lies there.
fetch() {
  local code
  command -v curl >/dev/null || die "curl is needed to download aidd"
  code=$(curl --silent --show-error --location --proto-redir '=https' --retry 3 --connect-timeout 20 \
    --max-time 300 --write-out '%{http_code}' --output "$2" "$1") || die "could not download $1"
  case $code in
    2??) ;;
    404) rm -f "$2" && return 1 ;;
    *) rm -f "$2" && die "could not download $1: HTTP status $code" ;;
  esac
}

matches() { [ -f "$1" ] && [ "$(sha256 <"$1")" = "$2" ]; }

# The sha256 of the archive $2 in a list like that of sha256sum, $1.
listed() { awk -v name="$2" '$2 == name || $2 == "*" name { print $1; exit }' "$1"; }

from_source() {
  local key
  say "$1; building it from the action's own source"
  key=$(cd "$root" && find . \( -path ./.git -o -path ./.github -o -path ./target -o -path ./docs \
    -o -path ./tests -o -path ./benches -o -path ./fuzz -o -path ./npm \) -prune -o -type f -print |
    LC_ALL=C sort | tr '\n' '\0' | xargs -0 cat | sha256)
  output from source
  output folder "$cache/source-$key"
  output binary "$cache/source-$key/$exe"
  output key "aidd-${RUNNER_OS}-${RUNNER_ARCH}-$key"
}

release() {
  local pinned version target archive url sums sum file folder binary runs
  pinned=$(grep -v '^#' "$here/release" | head -n 1 | tr -d '\r')
  version=${AIDD_VERSION:-$pinned}
  version=${version#v}
  case $version in
    none)
      from_source "this commit stands for no release"
      return
      ;;
    source)
      from_source "the input says so"
      return
      ;;
  esac
  if ! [[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]]; then
    die "version '$version' is not one like 1.2.3. There is no 'latest': findings would change from one run to the next"
  fi
  target=$(target)
  if [ -z "$target" ]; then
    [ "$version" = "$pinned" ] || die "aidd $version is not released for $RUNNER_OS on $RUNNER_ARCH"
    from_source "aidd $version is not released for $RUNNER_OS on $RUNNER_ARCH"
    return
  fi
  archive=aidd-$target.tar.gz
  url=${AIDD_DOWNLOAD_URL%/}/v$version
  mkdir -p "$cache/$version"
  if [ "$version" = "$pinned" ]; then
    sum=$(listed "$here/release" "$archive")
  else
    say "aidd $version is not the release that this commit names: its sha256 comes from the release itself"
    sums=$(mktemp "$temp/aidd.XXXXXX")
    fetch "$url/sha256.sum" "$sums" || die "there is no release $version at $url"
    sum=$(listed "$sums" "$archive")
  fi
  if [ -z "$sum" ]; then
    [ "$version" = "$pinned" ] || die "the release $version has no $archive"
    from_source "the release $version has no $archive"
    return
  fi
  file=$cache/$version/$archive
  folder=$(mktemp -d "$temp/aidd.XXXXXX")
  if ! matches "$file" "$sum"; then
    if ! fetch "$url/$archive" "$folder/$archive"; then
      [ "$version" = "$pinned" ] || die "there is no $url/$archive"
      from_source "there is no $url/$archive"
      return
    fi
    matches "$folder/$archive" "$sum" ||
      die "$url/$archive does not have the sha256 $sum that is expected of it; it is not run"
    # Whole at once: other jobs on a machine of one's own may be reading it.
    mv -f "$folder/$archive" "$file"
  fi
  # From standard input: GNU tar takes the colon of a Windows path for a host.
  tar -xzf - -C "$folder" <"$file"
  for binary in "$folder/$exe" "$folder"/*/"$exe"; do
    if [ -f "$binary" ]; then
      runs=$("$binary" --version) || die "$archive holds no binary that runs here"
      say "$runs, released, sha256 $sum"
      output from release
      output binary "$binary"
      return
    fi
  done
  die "$archive has no $exe in it"
}

build() {
  local folder runs
  if [ -x "${AIDD_BINARY:?}" ]; then
    runs=$("$AIDD_BINARY" --version)
    say "$runs, built earlier from this source"
    return
  fi
  command -v cargo >/dev/null ||
    die "cargo is needed to build aidd: install Rust in a step before, or pin the action to a release"
  folder=$(mktemp -d "$temp/aidd-build.XXXXXX")
  # In the action's folder: Cargo's settings in the repository under check must not be heeded.
  (cd "$root" && CARGO_TARGET_DIR="$folder" cargo build --release --locked --bin aidd)
  mkdir -p "$(dirname "$AIDD_BINARY")"
  mv "$folder/release/$exe" "$AIDD_BINARY"
  rm -rf "$folder"
  runs=$("$AIDD_BINARY" --version)
  say "$runs, built"
}

case ${1:-} in
  release) release ;;
  build) build ;;
  *) die "install.sh: release or build" ;;
esac
