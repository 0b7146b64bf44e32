#!/usr/bin/env bash
# Converts the inputs of action.yml to options of `aidd ci` and runs it. Inputs are only used as
# data: each becomes one argument, or one argument per line.
set -euo pipefail

# Without this, Git Bash on Windows rewrites arguments that look like paths.
export MSYS_NO_PATHCONV=1

die() {
  printf '::error title=aidd::%s\n' "${*//$'\n'/ }"
  exit 2
}

# Whether the input $1 with value $2 is enabled.
on() {
  case $2 in
    true) ;;
    false | '') return 1 ;;
    *) die "input $1: expected true or false, found '$2'" ;;
  esac
}

# Whether the input $1 with value $2 is auto.
auto() {
  case $2 in
    auto | '') ;;
    off) return 1 ;;
    *) die "input $1: expected auto or off, found '$2'" ;;
  esac
}

folder=$(mktemp -d "${RUNNER_TEMP:?}/aidd.XXXXXX")
command=${INPUT_COMMAND:-check}
set -- ci

case $command in
  check)
    if auto diff "$INPUT_DIFF"; then set -- "$@" --scope auto; else set -- "$@" --scope all; fi
    if [ -n "$INPUT_BASE" ]; then set -- "$@" --base "$INPUT_BASE"; fi
    if [ -n "$INPUT_SHARD" ]; then set -- "$@" --shard "$INPUT_SHARD"; fi
    ;;
  merge | post) set -- "$@" "$command" ;;
  *) die "input command: expected check, merge or post, found '$command'" ;;
esac
if [ "$command" != post ]; then
  set -- "$@" --output "sarif=$folder/aidd.sarif" --save "$folder/aidd-report.json"
  if [ -n "$INPUT_FAIL_ON" ]; then set -- "$@" --fail-on "$INPUT_FAIL_ON"; fi
  if ! on annotations "$INPUT_ANNOTATIONS"; then set -- "$@" --no-annotations; fi
  if on review "$INPUT_REVIEW"; then set -- "$@" --review; fi
fi
if [ -n "$INPUT_CONFIG" ]; then set -- "$@" --config "$INPUT_CONFIG"; fi
if [ -n "$INPUT_CATEGORY" ]; then set -- "$@" --category "$INPUT_CATEGORY"; fi
if ! on summary "$INPUT_SUMMARY"; then unset GITHUB_STEP_SUMMARY; fi
if on comment "$INPUT_COMMENT"; then set -- "$@" --comment; fi
if on check-run "$INPUT_CHECK_RUN"; then set -- "$@" --check-run; fi
if auto sarif "$INPUT_SARIF"; then set -- "$@" --upload-sarif; fi

while IFS= read -r line; do
  if [ -n "$line" ]; then set -- "$@" "$line"; fi
done <<<"$INPUT_ARGS"

set -- "$@" --
while IFS= read -r line; do
  if [ -n "$line" ]; then set -- "$@" "$line"; fi
done <<<"$INPUT_PATHS"

exec "${AIDD_BINARY:?}" "$@"
