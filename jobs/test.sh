#!/usr/bin/env bash
# Runs the whole test suite.
#
#   bash jobs/test.sh [--quick] [ARGUMENT...] [-- TEST-ARGUMENT...]
#
# It sets the machine up, tests the default build (MPI), then the build without MPI. --quick leaves
# the second build out. Other arguments go to `cargo test` of both builds, those after -- to the
# tests:
#
#   bash jobs/test.sh --quick --release         bash jobs/test.sh --quick --test ranks -- --nocapture
set -euo pipefail
self=$(realpath "$0")
cd "$(dirname "$self")/.."

# Tests repeated in the build without MPI. They cover the differences: communication between ranks
# and writing of files. A later test compares the final states of both builds.
BUNDLED_TESTS=(--lib --test analytic --test checkpoint)
# Tests start jobs of several ranks each; more of them at a time would only wait for one another.
TEST_THREADS=2

quick=false
arguments=()
test_arguments=()
while [ $# -gt 0 ]; do
    case $1 in
    --quick) quick=true ;;
    -h | --help)
        sed -n '2,/^set /{s/^# \{0,1\}//;/^set /d;p;}' "$self"
        exit 0
        ;;
    --)
        shift
        test_arguments=("$@")
        break
        ;;
    *) arguments+=("$1") ;;
    esac
    shift
done

# Runs cargo test with the given arguments, then the user's.
cargo_test() {
    local title=$1 start=$SECONDS
    shift
    set -- cargo test "$@" ${arguments[@]+"${arguments[@]}"} -- --test-threads="$TEST_THREADS" \
        ${test_arguments[@]+"${test_arguments[@]}"}
    printf '\n$ %s\n' "$*"
    "$@" </dev/null
    summary+=("$(printf '%6d s  %s' $((SECONDS - start)) "$title")")
}

# Both builds run the main job at reduced size, and one resumes from the other's checkpoint: the
# same bits.
same_state_in_both_builds() {
    local target=${CARGO_TARGET_DIR:-target} profile=debug start=$SECONDS out state first=
    case " ${arguments[*]-} " in *" --release "*) profile=release ;; esac
    out=$(mktemp -d)
    local small=(--set bodies.0.count=2000 --set 'domain.upper=[0.15, 0.15, 0.30]')
    printf '\nthe same state in both builds:\n'
    "$target/$profile/moreau" run configs/settle.toml --out "$out/a" --steps 200 "${small[@]}" >"$out/a.log"
    "$target/bundled/$profile/moreau" run configs/settle.toml --out "$out/b" --steps 200 "${small[@]}" >"$out/b.log"
    "$target/$profile/moreau" run configs/settle.toml --out "$out/c" --steps 100 "${small[@]}" >"$out/half.log"
    "$target/bundled/$profile/moreau" resume "$out/c" --steps 200 >"$out/c.log"
    for log in a b c; do
        state=$(tail -n 1 "$out/$log.log")
        echo "  $state"
        [ "$state" = "${first:=$state}" ] || { echo "test: the builds differ" >&2; return 1; }
    done
    rm -r "$out"
    summary+=("$(printf '%6d s  %s' $((SECONDS - start)) "the same state in both builds")")
}

summary=()
status=0
trap 'status=$?; [ $status = 0 ] || printf "\ntest: FAILED (status %d) after %d s\n" $status $SECONDS >&2' EXIT

command -v cargo >/dev/null || PATH=$PATH:$HOME/.cargo/bin
bash jobs/setup.sh
# shellcheck source=jobs/mpi-env.sh
. jobs/mpi-env.sh

# Without it, tests that need mpirun would skip silently on a machine without it.
export MOREAU_REQUIRE_MPI=1
cargo_test "default build: MPI, parallel HDF5"

if ! $quick; then
    bash jobs/setup.sh --bundled
    unset MOREAU_REQUIRE_MPI
    cargo_test "build without MPI, HDF5 compiled in" \
        --target-dir "${CARGO_TARGET_DIR:-target}/bundled" --no-default-features --features bundled "${BUNDLED_TESTS[@]}"
    same_state_in_both_builds
fi

printf '\ntest: all passed\n'
printf '%s\n' "${summary[@]}"
printf '%6d s  in all\n' $SECONDS
