#!/usr/bin/env bash
# Solves problems of FCLib with moreau and with Siconos (Debian's), to the same error.
#
#   bash jobs/compare-fclib.sh [--tolerance 1e-8] [--max-sweeps 100000] [--max-seconds 60] [--runs 5] FOLDER|FILE...
#
# The script takes problems of all kinds. It first reduces each to its contacts (`moreau fclib
# reduce`); both codes then solve the reduced problem from zero, on one core, one after the other.
# Siconos' NSGS runs with its default settings; its error is recomputed from the impulses of each
# code. The shortest of --runs solves in one process counts; solves that take longer than a second
# run once.
#
# Prints a table with the columns
#
#   file,contacts,numbers,converged,moreau_sweeps,moreau_seconds,moreau_error,siconos_sweeps,siconos_seconds,siconos_error,
#   seconds_ratio (Siconos' over ours, if both have reached the tolerance),
#   velocity_difference (|u - u'| over max(|u|, |q|))
#
# At its end, on stderr, it prints how many of the problems that Siconos solves take no longer here.
# If a time limit passes, the fields of Siconos are empty. Run nothing else on the machine
# meanwhile.
set -euo pipefail
self=$(realpath "$0")
tolerance=1e-8
sweeps=100000
seconds=60
runs=5
files=()
while [ $# -gt 0 ]; do
    case $1 in
    --tolerance) tolerance=${2:?} && shift ;;
    --max-sweeps) sweeps=${2:?} && shift ;;
    --max-seconds) seconds=${2:?} && shift ;;
    --runs) runs=${2:?} && shift ;;
    -h | --help)
        sed -n '2,/^set /{s/^# \{0,1\}//;/^set /d;p;}' "$self"
        exit 0
        ;;
    -*)
        echo "compare-fclib: unknown argument $1 (known: --tolerance --max-sweeps --max-seconds --runs)" >&2
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

# shellcheck source=jobs/siconos.sh
. jobs/siconos.sh
siconos_is_there || exit 1
moreau=${MOREAU:-}
if [ -z "$moreau" ]; then
    cargo build --release --locked >&2
    moreau=$(realpath "${CARGO_TARGET_DIR:-target}")/release/moreau
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
siconos_driver "$work/siconos"

# Siconos calls BLAS, which must not take more than one core.
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
echo "file,contacts,numbers,converged,moreau_sweeps,moreau_seconds,moreau_error,siconos_sweeps,siconos_seconds,siconos_error,seconds_ratio,velocity_difference" | tee "$work/table"
problem=$work/problem.hdf5
solved=$work/solved.hdf5
for file in "${files[@]}"; do
    name=$(basename "$file" .hdf5)
    rm -f "$problem"
    if ! told=$("$moreau" fclib reduce "$file" -o "$problem" 2>&1); then
        echo "compare-fclib: $name: left out: $told" >&2
        continue
    fi
    numbers=$(sed -n 's/.* contacts of \([0-9]*\) numbers.*/\1/p' <<<"$told")
    rm -f "$solved"
    status=0
    limits=(--tolerance "$tolerance" --max-seconds "$seconds")
    ours=$("$moreau" fclib solve --csv "${limits[@]}" -o "$solved" "$problem" | tail -n 1) || status=$?
    theirs=$(timeout $((2 * seconds)) "$work/siconos" "$solved" "$tolerance" "$sweeps" "$runs" 2>"$work/told" | tail -n 1) || theirs=
    if awk -v a="$ours" 'BEGIN { n = split(a, x, ","); exit !(x[n - 5] < 1) }'; then
        again=()
        for ((run = 1; run < runs; run++)); do again+=("$problem"); done
        # The shortest run; its seconds are the fifth field from the end.
        ours=$({ echo "$ours" && "$moreau" fclib solve --csv "${limits[@]}" "${again[@]}" | tail -n +2; } |
            awk -F, 'NR == 1 || $(NF - 5) < least { least = $(NF - 5); row = $0 } END { print row }') || true
    fi
    if [ "$status" != 0 ] && [ "$status" != 3 ]; then
        echo "compare-fclib: $name: moreau ends with status $status" >&2
        continue
    fi
    if [ -z "$theirs" ] && [ -s "$work/told" ]; then
        echo "compare-fclib: $name: Siconos: $(tail -n 1 "$work/told")" >&2
    fi
    # The name of the file may contain commas; the fields after it do not.
    awk -v name="$name" -v numbers="$numbers" -v ours="$ours" -v theirs="$theirs" -v tolerance="$tolerance" 'BEGIN {
        n = split(ours, a, ","); split(theirs, b, ",")
        contacts = a[n - 7]; sweeps = a[n - 6]; seconds = a[n - 5]; error = a[n - 4]; converged = a[n - 1]
        solved = b[3] != "" && b[3] + 0 <= tolerance + 0
        ratio = solved && converged == "true" && seconds > 0 ? sprintf("%.3f", b[2] / seconds) : solved ? "0" : ""
        printf "%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s\n", name, contacts, numbers, converged, sweeps, seconds, error, b[1], b[2], b[3], ratio, b[4]
    }' | tee -a "$work/table"
done
awk -F, 'NR > 1 { all++; ours += $(NF - 8) == "true"; if ($(NF - 1) != "") { theirs++; faster += $(NF - 1) >= 1 } }
    END { printf "compare-fclib: %d problems, solved here %d, by Siconos %d; of these no slower here %d\n", all, ours, theirs, faster }' "$work/table" >&2
