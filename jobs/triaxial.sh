#!/usr/bin/env bash
# Triaxial tests of dense and loose periodic samples: peak and critical state, for several seeds.
#
#   bash jobs/triaxial.sh [--seeds N] [--bodies N] [--out DIR]
#
# Makes samples of 5000 balls from configs/periodic-triaxial.toml with seeds 1 to 5. Loose ones are
# pressed with their friction of 0.5, dense ones without friction. Then each is compressed along z
# to 40 % of strain, at a tenth per second, while the sides hold 1 kPa. Some 50 minutes of one
# core; a run that is there is not done again.
#
# Writes target/triaxial/triaxial.csv with the columns
# sample,seed,peak_ratio,critical_ratio,critical_angle,first_fraction,critical_fraction,dilation.
# ratio: (s1 - s3)/p; angle [degrees]: sin = (s1 - s3)/(s1 + s3); critical: mean from 30 to 40 % of
# strain; fraction: of solid; dilation: volume strain from the smallest volume to the end.
set -euo pipefail
self=$(realpath "$0")
cd "$(dirname "$self")/.."
# shellcheck source=jobs/mpi-env.sh
. jobs/mpi-env.sh

seeds=5 bodies=5000 out=target/triaxial
while [ $# -gt 0 ]; do
    case $1 in
    --seeds) seeds=$2 && shift 2 ;;
    --bodies) bodies=$2 && shift 2 ;;
    --out) out=$2 && shift 2 ;;
    -h | --help)
        sed -n '2,/^set /{s/^# \{0,1\}//;/^set /d;p;}' "$self"
        exit 0
        ;;
    *)
        echo "triaxial: unknown argument $1 (known: --seeds --bodies --out)" >&2
        exit 2
        ;;
    esac
done
moreau=${MOREAU:-}
if [ -z "$moreau" ]; then
    cargo build --release --locked
    moreau=$(realpath "${CARGO_TARGET_DIR:-target}")/release/moreau
fi
mkdir -p "$out"
edge=$(awk -v n="$bodies" 'BEGIN { printf "%.4f", 0.22 * (n / 800) ^ (1 / 3) }')

# Runs unless that was done before: a name, then the arguments of the program.
once() {
    local name=$1
    shift
    [ -f "$out/$name.done" ] && return
    "$moreau" "$@" --threads 1 >"$out/$name.log" 2>&1 || { cat "$out/$name.log" >&2; return 1; }
    touch "$out/$name.done"
}

csv=$out/triaxial.csv
echo "sample,seed,peak_ratio,critical_ratio,critical_angle,first_fraction,critical_fraction,dilation" >"$csv"
for seed in $(seq "$seeds"); do
    for sample in dense loose; do
        friction=0.5
        [ $sample = dense ] && friction=0.0
        keys=(--set "solver.seed=$seed" --set "bodies.0.count=$bodies" --set "domain.upper=[$edge, $edge, $edge]"
            --set "material.0.friction=$friction" --set time.dt=2.0e-3 --set time.until=1.0
            --set checkpoint.every=0)
        once "$sample-$seed-pressed" run configs/periodic-triaxial.toml --out "$out/$sample-$seed-pressed" \
            --overwrite "${keys[@]}"
        once "$sample-$seed-loaded" resume "$out/$sample-$seed-pressed" --out "$out/$sample-$seed-loaded" \
            --overwrite --set "material.0.friction=0.5" --set 'cell.z={true_rate=-0.1}' \
            --set time.until=6.2
        mass=$("$moreau" check configs/periodic-triaxial.toml "${keys[@]}" |
            sed -n 's/.*free bodies together \([0-9.e+-]*\) kg.*/\1/p')
        awk -F, -v sample=$sample -v seed="$seed" -v mass="$mass" '
            NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; next }
            {
                z = $at["z"]; volume = $at["volume"]
                one = $at["stress_zz"]; three = ($at["stress_xx"] + $at["stress_yy"]) / 2
            }
            NR == 2 { height = z; first = volume; least = volume }
            {
                strain = 1 - z / height; ratio = (one - three) / ((one + 2 * three) / 3)
                if (ratio > peak && strain > 1e-3) peak = ratio
                if (volume < least) least = volume
                if (strain > 0.3) { n++; sum += ratio; sine += (one - three) / (one + three); mean += volume }
            }
            END {
                s = sine / n; angle = atan2(s, sqrt(1 - s * s)) * 180 / 3.14159265
                printf "%s,%s,%.4f,%.4f,%.2f,%.4f,%.4f,%.4f\n", sample, seed, peak, sum / n, angle,
                    mass / 2500 / first, mass / 2500 / (mean / n), volume / least - 1
            }' "$out/$sample-$seed-loaded/cell.csv" >>"$csv"
    done
done
cat "$csv"
