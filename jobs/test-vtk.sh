#!/usr/bin/env bash
# Reads frames with the real VTK, and runs the Python examples of the documents.
#
#   bash jobs/test-vtk.sh [VTK-VERSION...]        each version in a folder of its own below target/; the newest if none is named
#
# Needs a network the first time: VTK and h5py come from PyPI. Writes target/vtk-VERSION/bodies.png,
# a picture by VTK.
set -euo pipefail
self=$(realpath "$0")
cd "$(dirname "$self")/.."
case ${1-} in -h | --help)
    sed -n '2,/^set /{s/^# \{0,1\}//;/^set /d;p;}' "$self"
    exit 0
    ;;
esac
# shellcheck source=jobs/mpi-env.sh
. jobs/mpi-env.sh

target=${CARGO_TARGET_DIR:-target}
moreau=${MOREAU:-$target/release/moreau}
if [ ! -x "$moreau" ]; then
    cargo build --release
fi
moreau=$(realpath "$moreau")
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

settle() {
    local ranks=$1 out=$2
    shift 2
    mpirun -n "$ranks" "$moreau" run configs/settle.toml --out "$out" --set bodies.0.count=1000 --set 'domain.upper=[0.10, 0.10, 0.30]' \
        --set output.every=50 --set checkpoint.every=50 --set checkpoint.keep=100 --steps 400 "$@" >"$out.log" 2>&1 || {
        cat "$out.log" >&2
        return 1
    }
}
echo "runs on 3 ranks, and on 1 from the middle"
settle 3 "$work/exact" --set 'output.precision="f64"'
settle 3 "$work/out"
rm "$work"/out/checkpoint-000003*.h5 "$work"/out/checkpoint-000004*.h5
"$moreau" resume "$work/out" --steps 500 >"$work/resume.log" 2>&1
"$moreau" convert "$work/exact" --to vtk --out "$work/packed"
"$moreau" convert "$work/exact" --to xdmf
"$moreau" convert "$work/exact/checkpoint-00000400.h5" --to vtk --out "$work/still"

if [ $# = 0 ]; then set -- newest; fi
for version in "$@"; do
    python=$target/vtk-$version/bin/python
    if [ ! -x "$python" ]; then
        python3 -m venv "$target/vtk-$version"
    fi
    case $version in newest) wanted=vtk ;; *) wanted=vtk==$version ;; esac
    "$python" -m pip -q install "$wanted" h5py numpy pandas
    "$python" jobs/test-vtk.py "$work" "$target/vtk-$version/bodies.png" docs/python.md docs/formats.md
done
echo "test-vtk: all passed"
