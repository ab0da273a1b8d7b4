#!/usr/bin/env bash
# Measures the cost of a time step, and how much of it are sweeps.
#
#   bash jobs/steps.sh [--against PROGRAM] [--repeats 3] [--scale S]
#
# Runs 400 steps of configs/settle.toml and as many of configs/rotating-drum.toml, with one
# thread and with two. With another build of moreau the two take turns. --scale multiplies the
# numbers of steps.
#
# Writes target/steps.csv with the columns
#
#   program,case,threads,core_seconds,seconds,steps_per_second,sweep_share,outside_ns_per_contact
#
# Each line is the median of the repeats by seconds, which are those of the steps without start and
# end; core_seconds include these. sweep_share is the part of them spent in the solve with all it
# contains: sweeps, judge, projection, exchange. The last column is the rest over contacts and
# steps. Run nothing else on the machine meanwhile.
set -euo pipefail
self=$(realpath "$0")
cd "$(dirname "$self")/.."
# shellcheck source=jobs/mpi-env.sh
. jobs/mpi-env.sh

repeats=3
against=
scale=1
while [ $# -gt 0 ]; do
    case $1 in
    --against) against=$(realpath "${2:?}") && shift ;;
    --repeats) repeats=${2:?} && shift ;;
    --scale)
        case ${2:?} in
        *[!0-9]*) echo "steps: --scale must be a whole number; found $2" >&2 && exit 2 ;;
        esac
        scale=$2 && shift
        ;;
    -h | --help)
        sed -n '2,/^set /{s/^# \{0,1\}//;/^set /d;p;}' "$self"
        exit 0
        ;;
    *)
        echo "steps: unknown argument $1 (known: --against --repeats --scale)" >&2
        exit 2
        ;;
    esac
    shift
done

cargo build --release --locked
programs=("$(realpath "${CARGO_TARGET_DIR:-target}")/release/moreau")
[ -z "$against" ] || programs+=("$against")
table=$PWD/target/steps.csv
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
TIMEFORMAT='%U %S'
export LC_ALL=C
mkdir -p "$PWD/target"

# One run. $1: program, $2: case, $3: steps, $4: threads,
# $5: number of the program.
run() {
    local times
    times=$({ time "$1" run "configs/$2.toml" --steps "$3" --threads "$4" --set checkpoint.every=0 \
        --set output.series=1 --out "$out/run" --overwrite >"$out/log" 2>&1; } 2>&1) || {
        tail "$out/log" >&2
        exit 1
    }
    awk -F, -v program="$1" -v name="$2" -v threads="$4" -v times="$times" '
        NR == 1 { for (k = 1; k <= NF; k++) column[$k] = k; next }
        $column["step"] > 0 {
            steps++; wall += $column["wall_s"]; sweep += $column["sweep_s"] + $column["exchange_s"]
            contacts += $column["contacts"]
        }
        END {
            split(times, core, " ")
            printf "%s,%s,%d,%.2f,%.3f,%.1f,%.3f,%.1f\n", program, name, threads, core[1] + core[2],
                wall, steps / wall, sweep / wall, 1e9 * (wall - sweep) / contacts
        }' "$out/run/series.csv" >>"$out/lines-$5-$2-$4"
}

for _ in $(seq "$repeats"); do
    for case in settle:$((400 * scale)) rotating-drum:$((400 * scale)); do
        for threads in 1 2; do
            for k in "${!programs[@]}"; do
                run "${programs[k]}" "${case%:*}" "${case#*:}" "$threads" "$k"
            done
        done
    done
done
{
    echo program,case,threads,core_seconds,seconds,steps_per_second,sweep_share,outside_ns_per_contact
    for lines in "$out"/lines-*; do
        sort -t, -k5,5g "$lines" | sed -n "$(((repeats + 1) / 2))p"
    done
} | tee "$table"
