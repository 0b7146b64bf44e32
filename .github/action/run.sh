#!/usr/bin/env bash
# Turns the inputs of action.yml into options of `aidd ci` and runs it. An input is only ever data:
# it becomes one argument, or one a line.
set -euo pipefail

# Git Bash on Windows would rewrite arguments that look like paths.
export MSYS_NO_PATHCONV=1

die() {
  printf '::error title=aidd::%s\n' "${*//$'\n'/ }"
  exit 2
}

# Whether the input $1, whose value is $2, is on.
on() {
  case $2 in
    true) ;;
    false | '') return 1 ;;
    *) die "input $1: true or false, not '$2'" ;;
  esac
}

# Whether the input $1, whose value is $2, is left to aidd.
auto() {
  case $2 in
    auto | '') ;;
    off) return 1 ;;
    *) die "input $1: auto or off, not '$2'" ;;
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
  *) die "input command: check, merge or post, not '$command'" ;;
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
