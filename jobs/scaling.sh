#!/usr/bin/env bash
# What ranks and threads bring, and what they say to each other: docs/parallel.md.
#
#   bash jobs/scaling.sh [--quick]
#
# Touching spheres with friction, ten steps from a lattice to a load residual of 1e-3, with both ways of exchange: sweeps, time per
# sweep, messages and bytes per sweep and rank, the part of the time of a message that was spent on blocks, the busiest rank's work
# over the mean. Time per sweep is that of a rank, waiting included, the mean over ranks. More ranks than cores take turns: their counts are right, their times are not.
#
# Writes target/scaling.csv with the columns
#   mode,ranks,threads,bodies,contacts,sweeps,seconds_per_sweep,messages_per_sweep,bytes_per_sweep,hidden_fraction,imbalance
set -euo pipefail
cd "$(dirname "$0")/.."
. jobs/mpi-env.sh

quick=
for argument in "$@"; do
    case $argument in
    --quick) quick=1 ;;
    *)
        echo "scaling: unknown argument $argument (known: --quick)" >&2
        exit 2
        ;;
    esac
done
cargo build --release --locked
moreau=$(realpath "${CARGO_TARGET_DIR:-target}")/release/moreau
mkdir -p target/scaling
work=$PWD/target/scaling
csv=$PWD/target/scaling.csv
cores=$(nproc)

# A lattice of so many bodies, as near to a cube as whole layers allow.
config() {
    awk -v n="$1" 'BEGIN {
        side = int(n ^ (1 / 3) + 0.999999)
        layers = int((n + side * side - 1) / (side * side))
        edge = side * 0.010101
        printf "title = \"scaling\"\ngravity = [0.0, 0.0, -9.81]\n[time]\ndt = 1.0e-3\nsteps = 10\n"
        printf "[domain]\nlower = [0.0, 0.0, 0.0]\nupper = [%.6f, %.6f, %.6f]\n", edge, edge, layers * 0.010101
        printf "[solver]\ntolerance = 1.0e-3\nmax_sweeps = 500\n[balance]\nevery = 2\nabove = 1.02\n[checkpoint]\nevery = 0\n"
        printf "[[material]]\nname = \"glass\"\ndensity = 2500.0\nfriction = 0.5\n[[wall]]\nshape = \"box\"\nmaterial = \"glass\"\n"
        printf "[[bodies]]\nsample = \"lattice\"\nmaterial = \"glass\"\ncount = %d\nradius = { uniform = [0.0049, 0.005] }\njitter = 0.005\n", n
    }'
}

echo "mode,ranks,threads,bodies,contacts,sweeps,seconds_per_sweep,messages_per_sweep,bytes_per_sweep,hidden_fraction,imbalance" >"$csv"
one() {
    local mode=$1 ranks=$2 threads=$3 bodies=$4
    local out=$work/run
    local bind=(--bind-to core --map-by "slot:PE=$threads")
    [ $((ranks * threads)) -le "$cores" ] || bind=(--bind-to none --oversubscribe)
    config "$bodies" >"$work/lattice.toml"
    rm -rf "$out"
    # Ten steps on one rank need no mpirun, but have it all the same: the same way for all.
    mpirun "${bind[@]}" -n "$ranks" "$moreau" run "$work/lattice.toml" --out "$out" --threads "$threads" \
        --set "solver.exchange='$mode'" >"$work/log" 2>"$work/errors" || {
        tail -n 5 "$work/errors" >&2
        exit 1
    }
    local contacts
    contacts=$(tail -n 1 "$out/series.csv" | cut -d, -f4)
    awk -v mode="$mode" -v ranks="$ranks" -v threads="$threads" -v bodies="$bodies" -v contacts="$contacts" '
        /^sweeps / { sweeps = $2 }
        /^messages / { messages = $2; bytes = $5 }
        /^hidden / { hidden = $2 }
        /^sweep / { time += $3 }
        /^exchange / { time += $3 }
        /^balance / { for (k = 1; k <= NF; k++) if ($k == "has") imbalance = $(k + 1) }
        END {
            if (hidden == "") hidden = 0
            if (imbalance == "") imbalance = 1
            printf "%s,%d,%d,%d,%d,%d,%.4e,%.2f,%.0f,%.3f,%.3f\n", mode, ranks, threads, bodies, contacts, sweeps,
                time / sweeps, messages / sweeps / ranks, bytes / sweeps / ranks, hidden, imbalance
        }' "$work/log" | tee -a "$csv"
}

# Counts: sizes that fit, on as many ranks as there may be.
sizes="20000"
many="1 2 4 8 16"
[ -z "$quick" ] || { sizes="4000" && many="1 2 4 8"; }
for mode in phase sweep; do
    for bodies in $sizes; do
        for ranks in $many; do
            one "$mode" "$ranks" 1 "$bodies"
        done
    done
    # Few bodies on a rank.
    for each in 5 50 500; do
        one "$mode" 8 1 $((8 * each))
    done
    [ -n "$quick" ] || one "$mode" 64 1 2000
done
# Times: weak and strong scaling, medians of three in turns, and threads.
if [ -z "$quick" ]; then
    for _ in 1 2 3; do
        for mode in phase sweep; do
            one "$mode" 1 1 50000
            one "$mode" 1 1 100000
            one "$mode" 2 1 100000
        done
        one phase 1 2 100000
    done
fi
# Medians of what was run several times.
awk -F, 'NR > 1 { key = $1 "," $2 "," $3 "," $4; n[key]++; t[key, n[key]] = $7 }
END {
    for (key in n) {
        for (i = 1; i <= n[key]; i++) for (j = i + 1; j <= n[key]; j++)
            if (t[key, j] + 0 < t[key, i] + 0) { x = t[key, i]; t[key, i] = t[key, j]; t[key, j] = x }
        median[key] = t[key, int((n[key] + 1) / 2)]
    }
    for (k = 1; k <= 2; k++) {
        mode = k == 1 ? "phase" : "sweep"
        one = median[mode ",1,1,50000"]; both = median[mode ",2,1,100000"]; whole = median[mode ",1,1,100000"]
        if (both > 0) printf "%s: weak scaling on 2 ranks at 50 000 bodies each %.3f, strong at 100 000 %.2f\n", mode, one / both, whole / both
    }
    if (median["phase,1,2,100000"] > 0)
        printf "two threads at 100 000: %.2f\n", median["phase,1,1,100000"] / median["phase,1,2,100000"]
}' "$csv"
