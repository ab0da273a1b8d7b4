#!/usr/bin/env bash
# Empties one hopper of planes and cones, of 10 000 and of 1 000 000 triangles: time and discharge.
#
#   bash jobs/compare-hopper.sh [--until T] [--triangles "N …"] [--repeats 1]
#
# The hopper of configs/hopper-stl.toml with some 20 000 balls. Runs with one thread, in turns, for
# --until (1.4) seconds of simulated time. Run nothing else on the machine meanwhile.
#
# Writes target/hopper.csv with the columns
#
#   case,triangles,start_s,steps_s,per_step,discharged,memory_MB
#
# start_s: wall time before the first step; steps_s: of the steps, the median of the repeats;
# per_step: the ratio to the hopper of a cone and a tube; discharged: mass that went out, likewise a
# ratio; memory: the largest resident set.
set -euo pipefail
self=$(realpath "$0")
cd "$(dirname "$self")/.."
# shellcheck source=jobs/mpi-env.sh
. jobs/mpi-env.sh

until=1.4 sizes="10000 1000000" repeats=1
while [ $# -gt 0 ]; do
    case $1 in
    --until) until=${2:?} && shift ;;
    --triangles) sizes=${2:?} && shift ;;
    --repeats) repeats=${2:?} && shift ;;
    -h | --help)
        sed -n '2,/^set /{s/^# \{0,1\}//;/^set /d;p;}' "$self"
        exit 0
        ;;
    *)
        echo "compare-hopper: unknown argument $1 (known: --until --triangles --repeats)" >&2
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
work=$PWD/target/hopper
table=$PWD/target/hopper.csv
mkdir -p "$work"
cp configs/silo-plug.csv "$work"

# A cone and a tube of about this number of triangles, as an OBJ file in millimetres.
mesh() {
    awk -v triangles="$1" '
    BEGIN {
        pi = atan2(0, -1)
        sides = int(sqrt(triangles)); cone = int(sides / 5); rows = cone + int(sides * 3 / 10)
        for (j = 0; j <= rows; j++) {
            if (j <= cone) { r = 30 + 45 * j / cone; z = 60 * j / cone }
            else { r = 75; z = 60 + 165 * (j - cone) / (rows - cone) }
            for (k = 0; k < sides; k++) printf "v %.9f %.9f %.9f\n", r * cos(2 * pi * k / sides), r * sin(2 * pi * k / sides), z
        }
        for (j = 0; j < rows; j++) for (k = 0; k < sides; k++) {
            l = (k + 1) % sides; a = j * sides + 1; b = a + sides
            print "f", a + k, b + k, b + l
            print "f", a + k, b + l, a + l
        }
    }' >"$2"
}

# The walls that take the place of the mesh of the shipped configuration.
cat <<'WALL' >"$work/cone.wall"
shape = "cone"
from = [0.0, 0.0, 0.0]
to = [0.0, 0.0, 0.06]
radius = [0.03, 0.075]

[[wall]]
name = "tube"
material = "glass"
shape = "cylinder"
side = "inside"
caps = false
from = [0.0, 0.0, 0.06]
to = [0.0, 0.0, 0.225]
radius = 0.075
WALL
cases="cone"
for n in $sizes; do
    mesh "$n" "$work/mesh-$n.obj"
    printf 'shape = "mesh"\nfile = "mesh-%s.obj"\nscale = 0.001\n' "$n" >"$work/mesh-$n.wall"
    cases="$cases mesh-$n"
done
for case in $cases; do
    sed -e '/^file = "hopper.stl"/{r '"$work/$case.wall"'
d}' -e '/^shape = "mesh"$/d' -e '/^scale = /d' -e "s/^until = .*/until = $until/" \
        -e 's/^radius = { uniform.*/radius = { uniform = [0.0022, 0.0026] }/' configs/hopper-stl.toml >"$work/$case.toml"
    : >"$work/$case.times"
done
for _ in $(seq "$repeats"); do
    for case in $cases; do
        /usr/bin/time -f 'memory %M' "$moreau" run "$work/$case.toml" --out "$work/$case" --overwrite --threads 1 >"$work/$case.log" 2>&1 ||
            { cat "$work/$case.log" >&2; exit 1; }
        # Rows have the wall time since the row before.
        awk -F, -v all="$(sed -n 's/^end reached.* after \([0-9.]*\) s of wall time.*/\1/p' "$work/$case.log")" \
            -v memory="$(sed -n 's/^memory \([0-9]*\)$/\1/p' "$work/$case.log")" '
            NR == 1 { for (k = 1; k <= NF; k++) if ($k == "wall_s") c = k; next }
            { s += $c } END { printf "%.3f %.3f %.1f\n", all - s, s, memory / 1024 }' "$work/$case/series.csv" >>"$work/$case.times"
    done
done
echo "case,triangles,start_s,steps_s,per_step,discharged,memory_MB" >"$table"
for case in $cases; do
    out=$(awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) if ($k ~ /mass/ && !c) c = k; next } { m = $c } END { printf "%.9g", m }' "$work/$case/flows.csv")
    median=$(sort -n -k 2 "$work/$case.times" | awk -v n="$repeats" 'NR == int((n + 1) / 2)')
    read -r start steps memory <<<"$median"
    [ "$case" = cone ] && reference=$steps discharged=$out
    awk -v case="$case" -v n="${case#mesh-}" -v start="$start" -v steps="$steps" -v r="$reference" -v out="$out" -v o="$discharged" -v memory="$memory" \
        'BEGIN { printf "%s,%s,%s,%s,%.3f,%.4f,%s\n", case, n == "cone" ? 0 : n, start, steps, steps / r, out / o, memory }' >>"$table"
done
cat "$table"
