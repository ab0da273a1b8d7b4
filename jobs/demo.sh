#!/usr/bin/env bash
# Sets the machine up, builds, and settles a packing on a few MPI ranks.
#
#   bash jobs/demo.sh [--ranks N] [--config FILE] [--out DIR] [ARGUMENT...]
#
# All other arguments go to `moreau run`: bash jobs/demo.sh --ranks 4 --until 0.1 The same by
# environment: RANKS (2), CONFIG (configs/settle.toml), OUT (out/settle), MPIRUN (mpirun).
# Overwrites the results of an earlier run in DIR.
set -euo pipefail
self=$(realpath "$0")
cd "$(dirname "$self")/.."

ranks=${RANKS:-2}
config=${CONFIG:-configs/settle.toml}
out=${OUT:-out/settle}
arguments=()
while [ $# -gt 0 ]; do
    case $1 in
    --ranks | --config | --out)
        [ $# -ge 2 ] || { echo "demo: $1 needs a value" >&2; exit 2; }
        case $1 in
        --ranks) ranks=$2 ;;
        --config) config=$2 ;;
        --out) out=$2 ;;
        esac
        shift
        ;;
    --ranks=*) ranks=${1#*=} ;;
    --config=*) config=${1#*=} ;;
    --out=*) out=${1#*=} ;;
    -h | --help)
        sed -n '2,/^set /{s/^# \{0,1\}//;/^set /d;p;}' "$self"
        exit 0
        ;;
    *) arguments+=("$1") ;;
    esac
    shift
done

command -v cargo >/dev/null || PATH=$PATH:$HOME/.cargo/bin
bash jobs/setup.sh
# shellcheck source=jobs/mpi-env.sh
. jobs/mpi-env.sh

cargo build --release --bin moreau
moreau=${CARGO_TARGET_DIR:-target}/release/moreau

run=("${MPIRUN:-mpirun}" -n "$ranks" "$moreau" run "$config" --out "$out" --overwrite ${arguments[@]+"${arguments[@]}"})
printf '\n$'
printf ' %s' "${run[@]}"
printf '\n'
"${run[@]}"

checkpoint=
for file in "$out"/checkpoint-*.h5; do
    [ -e "$file" ] && checkpoint=$file # the names sort by step, so this ends at the newest
done
if [ -z "$checkpoint" ] || [ ! -s "$out/series.csv" ]; then
    echo "demo: the run ended well, but $out holds no checkpoint or no series.csv" >&2
    exit 1
fi

cat <<END

The results are in $out:
  series.csv               one row every few steps: contacts, sweeps, residual, overlap, energies, wall time
  $(basename "$checkpoint")   the newest checkpoint: all bodies and contacts (HDF5)

How to look at them:
  $moreau info $checkpoint
  head -n 5 $out/series.csv
and with Python and its package h5py, where they are installed:
  python3 -c '
import h5py
f = h5py.File("$checkpoint")
print(dict(f.attrs)["step"], f["bodies/position"][:5], f["contacts/impulse"].shape)'

How to go on from there, on any number of ranks (rest is an end too; 0 switches it off):
  . jobs/mpi-env.sh
  mpirun -n 4 $moreau resume $out --until 3.0 --set time.rest=0
END
