#!/usr/bin/env bash
# Measures the speed of ranks and threads, and their messages: docs/parallel.md.
#
#   bash jobs/scaling.sh [--quick] [--plot]
#   bash jobs/scaling.sh --ranks "1 2 4 8" --bodies 100000     times only: BODIES on all ranks, then on each
#
# Touching spheres with friction take ten steps from a lattice to a load residual of 1e-3, with both
# modes of exchange. The script measures sweeps, time per sweep, messages and bytes per sweep and
# rank, the part of the time of a message that was spent on blocks, and the busiest rank's work over
# the mean. Time per sweep is that of a rank, waiting included, the mean over ranks. More ranks than
# cores take turns: their counts are right, their times are not.
#
# Times: 14 steps of 40 sweeps at most to a tolerance that none reaches under load (369 sweeps),
# medians of seven in turns. `alone` in place of the mode is one rank while another run of the same
# occupies the other core. It measures the competition of two cores without communication, the bound
# for any exchange.
#
# --plot draws docs/parallel.svg with gnuplot: the measured counts, and the model of
# docs/parallel.md for more ranks.
#
# Writes target/scaling.csv with the columns
#
#   mode,ranks,threads,bodies,contacts,sweeps,seconds_per_sweep,messages_per_sweep,bytes_per_sweep,hidden_fraction,imbalance
set -euo pipefail
case ${1-} in
-h | --help)
    sed -n '2,/^set /{s/^# \{0,1\}//;/^set /d;p;}' "$0"
    exit 0
    ;;
esac
cd "$(dirname "$0")/.."
. jobs/mpi-env.sh

quick=
plot=
ranks_told=
bodies_told=
while [ $# -gt 0 ]; do
    case $1 in
    --quick) quick=1 ;;
    --plot) plot=1 ;;
    --ranks) ranks_told=${2:?} && shift ;;
    --bodies) bodies_told=${2:?} && shift ;;
    *)
        echo "scaling: unknown argument $1 (known: --quick --plot --ranks --bodies)" >&2
        exit 2
        ;;
    esac
    shift
done
if [ -n "${ranks_told:+x}" ] && [ -z "$bodies_told" ] || [ -z "$ranks_told" ] && [ -n "$bodies_told" ]; then
    echo "scaling: --ranks and --bodies belong together" >&2
    exit 2
fi
if [ -n "${MOREAU:-}" ]; then
    moreau=$MOREAU
else
    cargo build --release --locked
    moreau=$(realpath "${CARGO_TARGET_DIR:-target}")/release/moreau
fi
mkdir -p target/scaling
work=$PWD/target/scaling
csv=$PWD/target/scaling.csv
cores=${SLURM_NTASKS:-$(nproc)}

# A lattice of BODIES bodies, as near to a cube as whole layers allow; steps, tolerance, cap of
# sweeps.
config() {
    awk -v n="$1" -v steps="$2" -v tolerance="$3" -v cap="$4" 'BEGIN {
        side = int(n ^ (1 / 3) + 0.999999)
        layers = int((n + side * side - 1) / (side * side))
        edge = side * 0.010101
        printf "title = \"scaling\"\ngravity = [0.0, 0.0, -9.81]\n[time]\ndt = 1.0e-3\nsteps = %d\n", steps
        printf "[domain]\nlower = [0.0, 0.0, 0.0]\nupper = [%.6f, %.6f, %.6f]\n", edge, edge, layers * 0.010101
        printf "[solver]\ntolerance = %s\nmax_sweeps = %d\n", tolerance, cap
        printf "[balance]\nevery = 2\nabove = 1.02\n[checkpoint]\nevery = 0\n"
        printf "[[material]]\nname = \"glass\"\ndensity = 2500.0\nfriction = 0.5\n[[wall]]\nshape = \"box\"\nmaterial = \"glass\"\n"
        printf "[[bodies]]\nsample = \"lattice\"\nmaterial = \"glass\"\ncount = %d\nradius = { uniform = [0.0049, 0.005] }\njitter = 0.005\n", n
    }'
}

pin=()
echo "mode,ranks,threads,bodies,contacts,sweeps,seconds_per_sweep,messages_per_sweep,bytes_per_sweep,hidden_fraction,imbalance" >"$csv"
# MODE RANKS THREADS BODIES LOG: a line of the table from the output of a run.
line() {
    local contacts
    contacts=$(tail -n 1 "${5%.log}/series.csv" | cut -d, -f4)
    awk -v mode="$1" -v ranks="$2" -v threads="$3" -v bodies="$4" -v contacts="$contacts" '
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
        }' "$5" | tee -a "$csv"
}

# OUT RANKS THREADS [more]: a run of lattice.toml, always by mpirun. Ten steps on one rank do not
# need it, but all runs start the same way.
start() {
    local out=$1 ranks=$2 threads=$3
    shift 3
    rm -rf "$out"
    "${pin[@]}" mpirun "${bind[@]}" -n "$ranks" "$moreau" run "$work/lattice.toml" --out "$out" --threads "$threads" "$@" \
        >"$out.log" 2>"$out.errors" || {
        tail -n 5 "$out.errors" >&2
        exit 1
    }
}

one() {
    local mode=$1 ranks=$2 threads=$3 bodies=$4
    shift 4
    bind=(--bind-to core --map-by "slot:PE=$threads")
    [ $((ranks * threads)) -le "$cores" ] || bind=(--bind-to none --oversubscribe)
    # shellcheck disable=SC2206 # words
    [ -z "${MOREAU_BIND+set}" ] || bind=($MOREAU_BIND)
    [ $# -gt 0 ] || set -- 10 1.0e-3 500
    config "$bodies" "$@" >"$work/lattice.toml"
    start "$work/run" "$ranks" "$threads" --set "solver.exchange='$mode'"
    line "$mode" "$ranks" "$threads" "$bodies" "$work/run.log"
}

# BODIES STEPS TOLERANCE CAP: two runs of the same side by side, each on a core of its own.
beside() {
    bind=(--bind-to none)
    config "$@" >"$work/lattice.toml"
    pin=(taskset -c 1)
    start "$work/other" 1 1 &
    pin=(taskset -c 0)
    start "$work/run" 1 1
    wait $!
    pin=()
    line alone 1 1 "$1" "$work/run.log"
    line alone 1 1 "$1" "$work/other.log"
}

if [ -n "$ranks_told" ]; then
    for ranks in $ranks_told; do
        for mode in phase sweep; do
            one "$mode" "$ranks" 1 "$bodies_told" 14 1.0e-9 40
            [ "$ranks" = 1 ] || one "$mode" "$ranks" 1 $((ranks * bodies_told)) 14 1.0e-9 40
        done
    done
    exit 0
fi

# Counts: sizes that fit, on as many ranks as possible.
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
# Times: weak and strong scaling, medians of seven in turns, and threads.
if [ -z "$quick" ]; then
    timed=(14 1.0e-9 40)
    for _ in 1 2 3 4 5 6 7; do
        for mode in phase sweep; do
            one "$mode" 1 1 50000 "${timed[@]}"
            one "$mode" 1 1 100000 "${timed[@]}"
            one "$mode" 2 1 100000 "${timed[@]}"
        done
        one phase 1 2 100000 "${timed[@]}"
        beside 50000 "${timed[@]}"
    done
fi
# Medians of the repeated runs.
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
        if (both > 0) printf "%s: weak scaling against two runs side by side %.3f\n", mode, median["alone,1,1,50000"] / both
    }
    if (median["phase,1,2,100000"] > 0)
        printf "two threads at 100 000: %.2f\n", median["phase,1,1,100000"] / median["phase,1,2,100000"]
}' "$csv"

if [ -n "$plot" ]; then
    command -v gnuplot >/dev/null || { echo "scaling: gnuplot is missing; on Debian it is the package gnuplot-nox" >&2 && exit 1; }
    # The phase mode's counts of lattices; time per contact and sweep from one rank alone.
    nanoseconds=$(awk -F, '$1 == "phase" && $2 == 1 && $3 == 1 && $4 > 10000 { t += $7 / $5; n++ } END { print 1e9 * t / n }' "$csv")
    counts() { awk -F, -v column="$1" '$1 == "phase" && $2 > 1 && $3 == 1 && $4 >= 4000 { print $4 / $2, $column }' "$csv"; }
    counts 9 >"$work/bytes.dat"
    gnuplot <<EOF
set terminal svg size 900,420 background "white"
set output "docs/parallel.svg"
set multiplot layout 1,2
set logscale xy
set key top left
set xlabel "bodies per rank"
set ylabel "bytes that a rank sends in a sweep"
set format "10^{%L}"
# Bytes grow as the surface of a brick of n bodies, from the measurement on 16 ranks. Two ranks have
# one cut only.
bytes(n) = 86528 * (n / 1250.0)**(2.0 / 3)
set title "Numbers sent, phase mode"
plot [100:1e6] bytes(x) title "model" lc "black", "$work/bytes.dat" title "measured, 2 to 16 ranks" pt 7
unset logscale y
set key bottom left
set format y "%g"
set xlabel "ranks"
set ylabel "time of one rank alone / time"
set yrange [0:1]
set title "Weak scaling, modelled: solid if phases are even, dashed if not"
compute(n) = $nanoseconds * 1e-9 * 3 * n
wait(n, p) = 24 * 2e-6 + bytes(n) / 1e10 + 2e-6 * log(p) / log(2)
even(n, p) = compute(n) / (1.05 * compute(n) + wait(n, p))
# Ranks out of step in a direction have unequal numbers of blocks there. A rank of k blocks on an
# edge has up to (k + 1)/2 of them in a colour.
uneven(n, p) = compute(n) / ((1 + (n / 70.0)**(-1.0 / 3)) * compute(n) + wait(n, p))
plot [2:1e5] even(1e5, x) title "100 000 bodies per rank" lc 1, uneven(1e5, x) notitle lc 1 dt 2, \
    even(1e4, x) title "10 000" lc 2, uneven(1e4, x) notitle lc 2 dt 2, even(1e3, x) title "1000" lc 3, uneven(1e3, x) notitle lc 3 dt 2
EOF
fi
