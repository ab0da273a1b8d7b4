#!/usr/bin/env bash
# Exports the next step of runs as FCLib problems and compares with Siconos.
#
#   bash jobs/test-siconos.sh [--keep FOLDER]
#
# The states are those of settling, a drum, a cohesive powder under a piston and spheres with
# rolling friction, from the shipped configurations, made smaller. Both moreau and Siconos' NSGS
# (rolling friction by its own) solve each. The error by Siconos' measure must be small for both,
# and velocities must differ by less than 1e-6 of the largest ones. Without Siconos (Debian's
# libsiconos-numerics-dev) the script skips everything, with a loud message.
set -euo pipefail
self=$(realpath "$0")
keep=
case ${1-} in
-h | --help)
    sed -n '2,/^set /{s/^# \{0,1\}//;/^set /d;p;}' "$self"
    exit 0
    ;;
--keep) keep=$(realpath -m "${2:?}") ;;
'') ;;
*) echo "test-siconos: unknown argument $1 (known: --keep)" >&2 && exit 2 ;;
esac
cd "$(dirname "$self")/.."
# shellcheck source=jobs/mpi-env.sh
. jobs/mpi-env.sh
command -v cargo >/dev/null || PATH=$PATH:$HOME/.cargo/bin
# shellcheck source=jobs/siconos.sh
. jobs/siconos.sh
if ! siconos_is_there; then
    echo "*** SKIPPED: exported states were not solved by Siconos ***" >&2
    exit 0
fi
moreau=${MOREAU:-}
if [ -z "$moreau" ]; then
    cargo build --release --locked >&2
    moreau=$(realpath "${CARGO_TARGET_DIR:-target}")/release/moreau
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
siconos_driver "$work/siconos"
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
TOLERANCE=1e-10
DIFFERENCE=1e-6
failed=0

# NAME CONFIG STEPS NUMBERS SETTINGS...: runs a job, exports its next step, solves that twice.
check() {
    local name=$1 config=$2 steps=$3 numbers=$4 out=$work/$1 status=0 ours theirs contacts
    shift 4
    "$moreau" run "configs/$config.toml" --out "$out" --steps "$steps" --set checkpoint.every="$steps" "$@" >"$out.log" 2>&1 || {
        cat "$out.log" >&2
        failed=1
        return
    }
    "$moreau" fclib export "$out" -o "$out.hdf5" >>"$out.log" || { failed=1 && return; }
    contacts=$("$moreau" fclib info "$out.hdf5" | sed -n 's/^contacts *//p')
    [ "${contacts#*, }" = "$numbers numbers each" ] || { echo "test-siconos: $name: $contacts" >&2 && failed=1; }
    ours=$("$moreau" fclib solve --csv --tolerance "$TOLERANCE" -o "$out-solved.hdf5" "$out.hdf5" | tail -n 1) || status=$?
    theirs=$(timeout 120 "$work/siconos" "$out-solved.hdf5" "$TOLERANCE" 200000 | tail -n 1) || status=$?
    [ -z "$keep" ] || { mkdir -p "$keep" && cp "$out.hdf5" "$out-solved.hdf5" "$keep"; }
    awk -v name="$name" -v contacts="$contacts" -v ours="$ours" -v theirs="$theirs" -v most="$DIFFERENCE" 'BEGIN {
        n = split(ours, a, ","); split(theirs, b, ",")
        # A value that is not a number fails the comparison.
        good = b[4] ~ /^[0-9]/ && b[4] + 0 <= most + 0
        printf "%-10s %s: error %s here, %s of Siconos; velocities differ by %s%s\n", name, contacts, a[n - 4], b[3], b[4], good ? "" : "  FAILED"
        exit !good
    }' || failed=1
    [ "$status" = 0 ] || { echo "test-siconos: $name: status $status; ours $ours; theirs $theirs" >&2 && failed=1; }
}

small=(--set bodies.0.count=200 --set 'domain.upper=[0.06, 0.06, 0.30]')
check settle settle 150 3 "${small[@]}"
check drum rotating-drum 150 3 --set bodies.0.radius='{ uniform = [0.0065, 0.0075] }'
# With springs, bonds that are pulled open beyond a ten-millionth of a metre break: the format has
# no law for an open one.
check cohesive uniaxial-cohesive-compaction 300 3 --set bodies.0.count=200 --set 'domain.upper=[0.06, 0.06, 0.56]' --set material.0.rolling_ratio=0.0 \
    --set 'bodies.0.upper=[0.06, 0.06, 0.52]' --set 'region.0.upper=[0.06, 0.06, 0.13]' --set solver.projection=0 \
    --set material.0.stiffness=1.0e5 --set material.1.stiffness=1.0e5 --set material.0.cohesion_range=1.0e-7
# Also with springs: where impulses are not unique, the error of Siconos' sweeps with rolling
# friction does not become small.
check rolling rotating-drum 150 5 --set bodies.0.radius='{ uniform = [0.011, 0.013] }' --set material.0.rolling_ratio=0.1
exit "$failed"
