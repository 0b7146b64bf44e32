#!/usr/bin/env bash
# Installs the aidd binary for action.yml.
#   install.sh release   downloads the released binary that this commit pins in `release`, and
#                        verifies its sha256; writes the outputs `from` (release or source),
#                        `binary`, `folder` and `key`
#   install.sh build     builds AIDD_BINARY from this checkout, unless it exists
# This script must also run on Bash 3.2 (macOS) and Git Bash (Windows).
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
    # Windows on ARM64 also runs x64 programs.
    Windows-X64 | Windows-ARM64) echo x86_64-pc-windows-msvc ;;
    *) ;;
  esac
}

# Prints the sha256 of standard input. Before version 15, macOS has no sha256sum.
sha256() {
  if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi | cut -d ' ' -f 1
}

# Downloads the URL $1 to the file $2; fails if the URL does not exist.
fetch() {
  local code
  command -v curl >/dev/null || die "curl is required to download aidd"
  code=$(curl --silent --show-error --location --proto-redir '=https' --retry 3 --connect-timeout 20 \
    --max-time 300 --write-out '%{http_code}' --output "$2" "$1") || die "could not download $1"
  case $code in
    2??) ;;
    404) rm -f "$2" && return 1 ;;
    *) rm -f "$2" && die "could not download $1: HTTP status $code" ;;
  esac
}

matches() { [ -f "$1" ] && [ "$(sha256 <"$1")" = "$2" ]; }

# Prints the sha256 of the archive $2 in the list $1, which has the format of sha256sum.
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
      from_source "this commit is not a release"
      return
      ;;
    source)
      from_source "requested by the input 'version'"
      return
      ;;
  esac
  if ! [[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]]; then
    die "version '$version' is not of the form 1.2.3; 'latest' is not supported, because findings would change between runs"
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
    say "aidd $version is not the release pinned by this commit: its sha256 comes from the release itself"
    sums=$(mktemp "$temp/aidd.XXXXXX")
    fetch "$url/sha256.sum" "$sums" || die "release $version not found at $url"
    sum=$(listed "$sums" "$archive")
  fi
  if [ -z "$sum" ]; then
    [ "$version" = "$pinned" ] || die "release $version has no $archive"
    from_source "release $version has no $archive"
    return
  fi
  file=$cache/$version/$archive
  folder=$(mktemp -d "$temp/aidd.XXXXXX")
  if ! matches "$file" "$sum"; then
    if ! fetch "$url/$archive" "$folder/$archive"; then
      [ "$version" = "$pinned" ] || die "$url/$archive not found"
      from_source "$url/$archive not found"
      return
    fi
    matches "$folder/$archive" "$sum" ||
      die "$url/$archive does not have the expected sha256 $sum; it was not run"
    # Replace the file atomically, because another job on a self-hosted runner can be reading it.
    mv -f "$folder/$archive" "$file"
  fi
  # Use standard input, because GNU tar interprets the colon of a Windows path as a host separator.
  tar -xzf - -C "$folder" <"$file"
  for binary in "$folder/$exe" "$folder"/*/"$exe"; do
    if [ -f "$binary" ]; then
      runs=$("$binary" --version) || die "$archive contains no binary that runs on this system"
      say "$runs, released, sha256 $sum"
      output from release
      output binary "$binary"
      return
    fi
  done
  die "$archive does not contain $exe"
}

build() {
  local folder runs
  if [ -x "${AIDD_BINARY:?}" ]; then
    runs=$("$AIDD_BINARY" --version)
    say "$runs, built earlier from this source"
    return
  fi
  command -v cargo >/dev/null ||
    die "cargo is required to build aidd: install Rust in an earlier step, or pin the action to a release"
  folder=$(mktemp -d "$temp/aidd-build.XXXXXX")
  # Build in the action's directory, so that Cargo settings of the checked repository are not used.
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
  *) die "install.sh: expected release or build" ;;
esac
