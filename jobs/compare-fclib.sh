#!/usr/bin/env bash
# Problems of FCLib, solved here and by Siconos (Debian's), side by side, to the same error.
#
#   bash jobs/compare-fclib.sh [--tolerance 1e-8] [--max-sweeps 100000] [--max-seconds 60] FOLDER|FILE...
#
# Local problems in three dimensions; others are told and left out. Siconos' NSGS runs with its default settings. Both start from nothing,
# on one core, one after the other, and Siconos' error is recomputed from the impulses of each.
#
# Prints a table: file,contacts,converged,moreau_sweeps,moreau_seconds,moreau_error,siconos_sweeps,siconos_seconds,siconos_error,
# seconds_ratio (Siconos' over ours, if both have reached the tolerance), velocity_difference (|u - u'| over max(|u|, |q|)). A time limit
# that passes leaves the fields of Siconos empty. Nothing else should run on the machine meanwhile.
set -euo pipefail
self=$(realpath "$0")
tolerance=1e-8
sweeps=100000
seconds=60
files=()
while [ $# -gt 0 ]; do
    case $1 in
    --tolerance) tolerance=${2:?} && shift ;;
    --max-sweeps) sweeps=${2:?} && shift ;;
    --max-seconds) seconds=${2:?} && shift ;;
    -h | --help)
        sed -n '2,/^set /{s/^# \{0,1\}//;/^set /d;p;}' "$self"
        exit 0
        ;;
    -*)
        echo "compare-fclib: unknown argument $1 (known: --tolerance --max-sweeps --max-seconds)" >&2
        exit 2
        ;;
    *)
        if [ -d "$1" ]; then
            while IFS= read -r file; do files+=("$file"); done < <(find "$(realpath "$1")" -name '*.hdf5' | sort)
        else
            files+=("$(realpath "$1")")
        fi
        ;;
    esac
    shift
done
[ ${#files[@]} -gt 0 ] || { echo "compare-fclib: no files; accepted: folders and files *.hdf5" >&2 && exit 2; }
cd "$(dirname "$self")/.."
# shellcheck source=jobs/mpi-env.sh
. jobs/mpi-env.sh
command -v cargo >/dev/null || PATH=$PATH:$HOME/.cargo/bin

if [ ! -e /usr/include/siconos/numerics/NonSmoothDrivers.h ]; then
    if ! command -v apt-get >/dev/null; then
        echo "compare-fclib: Siconos is missing; on Debian it is the package libsiconos-numerics-dev" >&2
        exit 1
    fi
    as_root=()
    [ "$(id -u)" = 0 ] || as_root=(sudo)
    "${as_root[@]}" apt-get install -y --no-install-recommends libsiconos-numerics-dev >/dev/null
fi
cargo build --release --locked >&2
moreau=$(realpath "${CARGO_TARGET_DIR:-target}")/release/moreau
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck disable=SC2046 # flags are several words
cc -O2 jobs/compare-fclib.c -o "$work/siconos" -I/usr/include/siconos -I/usr/include/siconos/numerics \
    $(pkg-config --cflags hdf5) -lsiconos_numerics $(pkg-config --libs hdf5) -lm

# Siconos calls BLAS, which must not take more cores than one.
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
echo "file,contacts,converged,moreau_sweeps,moreau_seconds,moreau_error,siconos_sweeps,siconos_seconds,siconos_error,seconds_ratio,velocity_difference"
for file in "${files[@]}"; do
    name=$(basename "$file" .hdf5)
    solved=$work/$name.hdf5
    rm -f "$solved"
    status=0
    ours=$("$moreau" fclib solve --csv --tolerance "$tolerance" --max-sweeps "$sweeps" --max-seconds "$seconds" -o "$solved" "$file" | tail -n 1) || status=$?
    if [ "$status" != 0 ] && [ "$status" != 3 ]; then
        echo "compare-fclib: $name: moreau ends with status $status" >&2
        continue
    fi
    theirs=$(timeout "$seconds" "$work/siconos" "$solved" "$tolerance" "$sweeps" 2>"$work/told" | tail -n 1) || theirs=
    if [ -z "$theirs" ] && [ -s "$work/told" ]; then
        echo "compare-fclib: $name: left out: $(tail -n 1 "$work/told")" >&2
        continue
    fi
    # The name of the file may hold commas; all after it does not.
    awk -v name="$name" -v ours="$ours" -v theirs="$theirs" -v tolerance="$tolerance" 'BEGIN {
        n = split(ours, a, ","); split(theirs, b, ",")
        contacts = a[n - 7]; sweeps = a[n - 6]; seconds = a[n - 5]; error = a[n - 4]; converged = a[n - 1]
        ratio = b[3] != "" && b[3] + 0 <= tolerance + 0 && converged == "true" && seconds > 0 ? sprintf("%.3f", b[2] / seconds) : ""
        printf "%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s\n", name, contacts, converged, sweeps, seconds, error, b[1], b[2], b[3], ratio, b[4]
    }'
done
