#!/usr/bin/env bash
# Writes the version of the tag $1 and the archives in the list $2, which has the format of sha256sum,
# to `release`.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
if ! [[ $1 =~ ^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]]; then
  printf 'stamp.sh: %s is not a tag such as v1.2.3\n' "$1" >&2
  exit 2
fi
archives=$(grep -E '^[0-9a-f]{64} [ *]aidd-[a-z0-9_-]+\.tar\.gz$' "$2")
comments=$(grep '^#' "$here/release")
printf '%s\n%s\n%s\n' "$comments" "${1#v}" "$archives" >"$here/release"
