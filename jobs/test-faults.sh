#!/usr/bin/env bash
# Tests faults in large numbers: killed ranks, damaged files, full disks.
#
#   bash jobs/test-faults.sh [--kills 200] [--mutations 10000]        some twenty minutes
#
# Ranks are killed at any moment, half of them during a checkpoint. Configurations, checkpoints,
# files of bodies and of FCLib get arbitrary content. A disk is full for a while, for ever, or read
# only. The disks need root (a small tmpfs); without root the script skips that part with a message.
set -euo pipefail
case ${1-} in
-h | --help)
    sed -n '2,/^set /{s/^# \{0,1\}//;/^set /d;p;}' "$0"
    exit 0
    ;;
esac
cd "$(dirname "$0")/.."
. jobs/mpi-env.sh
command -v cargo >/dev/null || PATH=$PATH:$HOME/.cargo/bin

kills=200
mutations=10000
while [ $# -gt 0 ]; do
    case $1 in
    --kills) kills=${2:?} && shift ;;
    --mutations) mutations=${2:?} && shift ;;
    *)
        echo "test-faults: unknown argument $1 (known: --kills --mutations)" >&2
        exit 2
        ;;
    esac
    shift
done
seconds=$SECONDS
MOREAU_KILLS=$kills MOREAU_MUTATIONS=$mutations cargo test --locked --test faults -- --nocapture --test-threads=1 </dev/null
cargo build --locked
moreau=$(realpath "${CARGO_TARGET_DIR:-target}")/debug/moreau

work=$(mktemp -d)
disk=$work/disk
mkdir "$disk"
finish() {
    local status=$?
    umount "$disk" 2>/dev/null || true
    if [ $status = 0 ]; then rm -rf "$work"; else echo "test-faults: FAILED; see $work" >&2; fi
}
trap finish EXIT
if ! mount -t tmpfs -o size=6m moreau-test "$disk" 2>/dev/null; then
    echo "test-faults: NOT RUN: full disks, as nothing can be mounted here"
    exit 0
fi

small=(--set bodies.0.count=500 --set "domain.upper=[0.1, 0.1, 0.3]" --set checkpoint.every=50 --set time.rest=0 --steps 1500)
undisturbed=$("$moreau" run configs/settle.toml --out "$work/straight" "${small[@]}" 2>/dev/null | tail -n 1)

# LABEL STATUS: checks the run in $disk/out, which then runs to its end on a disk with room.
check() {
    local state
    [ "$status" = "$2" ] || { echo "test-faults: $1: status $status, not $2" >&2 && cat "$work/err" >&2 && exit 1; }
    grep -q WARNING "$work/err" || { echo "test-faults: $1: nothing was told" >&2 && exit 1; }
    mount -o remount,rw,size=64m "$disk"
    state=$(mpirun -n 2 "$moreau" resume "$disk/out" --steps 1500 2>/dev/null | tail -n 1)
    [ "$state" = "$undisturbed" ] || { echo "test-faults: $1: $state, not $undisturbed" >&2 && exit 1; }
    [ "$(wc -l <"$disk/out/series.csv")" = 1501 ] || { echo "test-faults: $1: rows are missing" >&2 && exit 1; }
    echo "ok   $1: status $status, $(grep -c WARNING "$work/err") warnings; $state"
    rm -rf "$disk/out" "$disk/fill"
    mount -o remount,size=6m "$disk"
}
# Waits for the first checkpoint of the run.
begun() { until compgen -G "$disk/out/checkpoint-*.h5" >/dev/null; do sleep 0.02; done; }

for ranks in 1 3; do
    start=(mpirun -n "$ranks" "$moreau" run configs/settle.toml --out "$disk/out" "${small[@]}")

    # Full after the first checkpoints, for ever.
    "${start[@]}" >"$work/log" 2>"$work/err" &
    begun
    head -c 6000000 /dev/zero >"$disk/fill" 2>/dev/null || true
    status=0 && wait $! || status=$?
    rm -f "$disk/fill"
    check "$ranks ranks, a full disk" 4

    # Full until the run has reported it.
    "${start[@]}" >"$work/log" 2>"$work/err" &
    begun
    head -c 6000000 /dev/zero >"$disk/fill" 2>/dev/null || true
    until grep -q WARNING "$work/err"; do sleep 0.02; done
    rm -f "$disk/fill"
    status=0 && wait $! || status=$?
    check "$ranks ranks, a disk that is full for a while" 0

    # Read only from some moment on. Files open for writing forbid it, so the run is stopped and
    # resumed there.
    "${start[@]}" >"$work/log" 2>"$work/err" &
    begun
    kill -USR1 $!
    status=0 && wait $! || status=$?
    [ "$status" = 75 ]
    mount -o remount,ro "$disk"
    status=0
    mpirun -n "$ranks" "$moreau" resume "$disk/out" --steps 1500 >"$work/log" 2>"$work/err" || status=$?
    grep -q "accepted: a folder that can be written to" "$work/err"
    echo "WARNING" >>"$work/err"
    check "$ranks ranks, a folder that is read only" 2
done
echo "test-faults: all passed, $((SECONDS - seconds)) s"
