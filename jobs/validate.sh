#!/usr/bin/env bash
# Runs the tests that compare figures with published numbers, and makes their table.
#
#   bash jobs/validate.sh [--quick] [ARGUMENT...]
#
# The figures are compared with formulas and published numbers. Writes target/validation.csv with
# the columns label,what,measured,expected,tolerance,pass. --quick leaves the slow tier out (the
# tests marked as slow). Other arguments go to `cargo test`, for example --release. Ends with status
# 1 if a figure is off or a test fails.
set -euo pipefail
self=$(realpath "$0")
cd "$(dirname "$self")/.."
# shellcheck source=jobs/mpi-env.sh
. jobs/mpi-env.sh

slow=true
arguments=()
for argument in "$@"; do
    case $argument in
    --quick) slow=false ;;
    -h | --help)
        sed -n '2,/^set /{s/^# \{0,1\}//;/^set /d;p;}' "$self"
        exit 0
        ;;
    *) arguments+=("$argument") ;;
    esac
done

tests=(--test laws --test compliance --test pace --test walls --test drum --test piles --test packings --test flowing --test jammed --test periodic --test everything --test clumps --test bonds --test dumbbells --test hollow --test collisions)
table=$PWD/target/validation.csv
lines=$(mktemp)
trap 'rm -f "$lines"' EXIT
mkdir -p target
status=0
MOREAU_VALIDATION=$lines cargo test --no-fail-fast "${tests[@]}" ${arguments[@]+"${arguments[@]}"} </dev/null || status=$?
if $slow; then
    MOREAU_VALIDATION=$lines cargo test --no-fail-fast --test packings --test flowing --test jammed --test dumbbells --test collisions ${arguments[@]+"${arguments[@]}"} -- --ignored </dev/null ||
        status=$?
fi
{
    echo label,what,measured,expected,tolerance,pass
    LC_ALL=C sort -u "$lines"
} >"$table"
printf '\n%s: %d figures, %d of them off\n' "$table" "$(($(wc -l <"$table") - 1))" "$(grep -c ',no$' "$table" || true)"
exit "$status"
