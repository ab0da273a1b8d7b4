#!/usr/bin/env bash
# Compares the cost of a packing with one ball of twenty radii to that of the same packing without.
#
#   bash jobs/compare-intruder.sh [--count N] [--steps N] [--repeats 1] [--ranks "1 2"]
#
# --count (30000) balls fall into a box and pack in --steps (1200), without the intruder, with it as
# a large body, and with it in blocks as wide as it needs (solver.large_radius = 1). Runs with one
# thread, in turns. Run nothing else on the machine meanwhile.
#
# Writes target/intruder.csv with the columns
#
#   case,ranks,blocks,sweeps,steps_s,per_step,packed_s,per_packed_step
#
# sweeps: of all steps; steps_s: wall time of the steps, the median of the repeats (of an even
# number the lower of the two in the middle); per_step: the ratio to the packing without the
# intruder on as many ranks; packed_s, per_packed_step: the same over the last quarter of the steps,
# where the balls nearly lie still. Before, the two jobs differ in more than the intruder: it falls
# on the balls.
set -euo pipefail
self=$(realpath "$0")
cd "$(dirname "$self")/.."
# shellcheck source=jobs/mpi-env.sh
. jobs/mpi-env.sh

count=30000 steps=1200 repeats=1 ranks="1 2"
while [ $# -gt 0 ]; do
    case $1 in
    --count) count=${2:?} && shift ;;
    --steps) steps=${2:?} && shift ;;
    --repeats) repeats=${2:?} && shift ;;
    --ranks) ranks=${2:?} && shift ;;
    -h | --help)
        sed -n '2,/^set /{s/^# \{0,1\}//;/^set /d;p;}' "$self"
        exit 0
        ;;
    *)
        echo "compare-intruder: unknown argument $1 (known: --count --steps --repeats --ranks)" >&2
        exit 2
        ;;
    esac
    shift
done
moreau=${MOREAU:-}
if [ -z "$moreau" ]; then
    cargo build --release --locked
    moreau=$(realpath "${CARGO_TARGET_DIR:-target}")/release/moreau
fi
work=$PWD/target/intruder
table=$PWD/target/intruder.csv
mkdir -p "$work"

# The balls fall from a loose state that takes eight times their volume.
height=$(awk -v n="$count" 'BEGIN { printf "%.3f", 0.10 + n * 3.35e-8 * 8 / 0.0256 }')
cat <<CONFIG >"$work/without.toml"
title = "Balls without an intruder"
gravity = [0.0, 0.0, -9.81]
[time]
dt = 1.0e-3
steps = $steps
[domain]
lower = [0.0, 0.0, 0.0]
upper = [0.16, 0.16, $height]
[solver]
seed = 1
[[material]]
name = "glass"
density = 2500.0
friction = 0.5
[[wall]]
shape = "box"
material = "glass"
[[bodies]]
sample = "random"
material = "glass"
count = $count
radius = { uniform = [0.0018, 0.0022] }
lower = [0.0, 0.0, 0.09]
upper = [0.16, 0.16, $height]
[output]
series = 1
[checkpoint]
every = 0
CONFIG
{
    cat "$work/without.toml"
    cat <<BODY
[[bodies]]
sample = "lattice"
material = "glass"
count = 1
radius = 0.04
lower = [0.035, 0.035, 0.001]
upper = [0.125, 0.125, 0.089]
BODY
} >"$work/large.toml"
sed 's/^seed = 1/seed = 1\nlarge_radius = 1.0/' "$work/large.toml" >"$work/wide.toml"

cases="without large wide"
rm -f "$work"/*.times
for _ in $(seq "$repeats"); do
    for n in $ranks; do
        for case in $cases; do
            mpirun -n "$n" "$moreau" run "$work/$case.toml" --out "$work/$case-$n" --overwrite --threads 1 >"$work/$case-$n.log" 2>&1 ||
                { cat "$work/$case-$n.log" >&2; exit 1; }
            awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) { if ($k == "wall_s") t = k; if ($k == "sweeps") c = k }; next }
                { s += $t; n += $c; wall[NR] = $t }
                END { for (k = NR; k > 1 + (NR - 1) * 3 / 4; k--) q += wall[k]; printf "%.3f %d %.3f\n", s, n, q }' "$work/$case-$n/series.csv" >>"$work/$case-$n.times"
        done
    done
done
echo "case,ranks,blocks,sweeps,steps_s,per_step,packed_s,per_packed_step" >"$table"
for n in $ranks; do
    for case in $cases; do
        read -r seconds sweeps _ < <(sort -n "$work/$case-$n.times" | awk -v n="$repeats" 'NR == int((n + 1) / 2)')
        packed=$(awk '{ print $3 }' "$work/$case-$n.times" | sort -n | awk -v n="$repeats" 'NR == int((n + 1) / 2)')
        [ "$case" = without ] && reference=$seconds still=$packed
        blocks=$("$moreau" check "$work/$case.toml" | awk '$1 == "blocks" { print $2 * $4 * $6 }')
        awk -v case="$case" -v ranks="$n" -v blocks="$blocks" -v sweeps="$sweeps" -v s="$seconds" -v r="$reference" \
            -v p="$packed" -v still="$still" \
            'BEGIN { printf "%s,%s,%s,%s,%s,%.3f,%s,%.3f\n", case, ranks, blocks, sweeps, s, s / r, p, p / still }' >>"$table"
    done
done
cat "$table"
