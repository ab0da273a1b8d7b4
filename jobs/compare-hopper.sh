#!/usr/bin/env bash
# Empties one hopper of planes and cones, of 10 000 and of 1 000 000 triangles: time and discharge.
#
#   bash jobs/compare-hopper.sh [--until T] [--triangles "N …"] [--repeats 1] [--liggghts "N …"]
#
# The hopper of configs/hopper-stl.toml with 14 812 balls. Runs with one thread, in turns, for
# --until (1.4) seconds of simulated time. Run nothing else on the machine meanwhile.
#
# --liggghts: the same balls in meshes of so many triangles by LIGGGHTS (Debian's), too, on one
# core, with its softest stiffness (5e6 Pa, steps of 5e-5 s). Its balls leave every 10 ms. Runs here
# with springs as soft as those under the weight of 15 balls (1.2e3 N/m) are the cases soft-N.
#
# Writes target/hopper.csv with the columns
#
#   case,triangles,start_s,steps_s,per_step,discharged,memory_MB,core_s
#
# start_s: wall time before the first step; steps_s: of the steps, the median of the repeats;
# per_step: the ratio to the hopper of a cone and a tube; discharged: mass that went out, likewise a
# ratio, for LIGGGHTS of the numbers of balls; memory: the largest resident set; core_s:
# core-seconds of the whole program. For LIGGGHTS start_s is core_s less the time of its loops.
#
# Fails if a mesh lets out over 1 % more or less than the cone and the tube, from --until 1 on.
set -euo pipefail
self=$(realpath "$0")
cd "$(dirname "$self")/.."
# shellcheck source=jobs/mpi-env.sh
. jobs/mpi-env.sh
# shellcheck source=jobs/liggghts.sh
. jobs/liggghts.sh

until=1.4 sizes="10000 1000000" repeats=1 theirs=""
while [ $# -gt 0 ]; do
    case $1 in
    --until) until=${2:?} && shift ;;
    --triangles) sizes=${2:?} && shift ;;
    --repeats) repeats=${2:?} && shift ;;
    --liggghts) theirs=${2:?} && shift ;;
    -h | --help)
        sed -n '2,/^set /{s/^# \{0,1\}//;/^set /d;p;}' "$self"
        exit 0
        ;;
    *)
        echo "compare-hopper: unknown argument $1 (known: --until --triangles --repeats --liggghts)" >&2
        exit 2
        ;;
    esac
    shift
done
[ -z "$theirs" ] || need_liggghts compare-hopper
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
for n in $theirs; do
    mesh "$n" "$work/soft-$n.obj"
    printf 'shape = "mesh"\nfile = "soft-%s.obj"\nscale = 0.001\n' "$n" >"$work/soft-$n.wall"
    cases="$cases soft-$n"
done
for case in $cases; do
    case $case in soft-*) stiffness=1.2e3 ;; *) stiffness=1.0e4 ;; esac
    sed -e '/^file = "hopper.stl"/{r '"$work/$case.wall"'
d}' -e '/^shape = "mesh"$/d' -e '/^scale = /d' -e "s/^until = .*/until = $until/" \
        -e "s/^stiffness = [^ ]*/stiffness = $stiffness/" \
        -e 's/^radius = { uniform.*/radius = { uniform = [0.0022, 0.0026] }/' configs/hopper-stl.toml >"$work/$case.toml"
    : >"$work/$case.times"
done

# The triangles of an OBJ file in millimetres as STL in metres; LIGGGHTS reads no OBJ.
stl() {
    awk '
    function corner(k) { printf "   vertex %.9g %.9g %.9g\n", x[k] / 1000, y[k] / 1000, z[k] / 1000 }
    BEGIN { print "solid hopper" }
    $1 == "v" { x[++n] = $2; y[n] = $3; z[n] = $4 }
    $1 == "f" {
        print " facet normal 0 0 0\n  outer loop"
        corner($2); corner($3); corner($4)
        print "  endloop\n endfacet"
    }
    END { print "endsolid hopper" }' "$1" >"$2"
}

# Files for LIGGGHTS: the balls of our first step, the mesh, and a plug of 24 triangles.
if [ -n "$theirs" ]; then
    "$moreau" run "$work/cone.toml" --out "$work/first" --overwrite --steps 0 >"$work/first.log" 2>&1
    "$moreau" convert "$work/first/checkpoint-00000000.h5" --to lammps -o "$work/first/dump" >/dev/null
    awk '
    /^ITEM: NUMBER/ { getline; n = $1 }
    /^ITEM: ATOMS/ {
        for (k = 3; k <= NF; k++) at[$k] = k - 2
        printf "hopper\n\n%d atoms\n\n1 atom types\n\n", n
        print "-0.08 0.08 xlo xhi\n-0.08 0.08 ylo yhi\n-0.16 0.225 zlo zhi\n\nAtoms\n"
        body = 1; next
    }
    body { print $at["id"], 1, 2 * $at["radius"], 2500, $at["x"], $at["y"], $at["z"] }
    ' "$work/first/dump/bodies.dump" >"$work/theirs.data"
    awk 'BEGIN {
        pi = atan2(0, -1)
        for (k = 0; k <= 24; k++) printf "v %.9f %.9f 0\n", k ? 30.5 * cos(pi * k / 12) : 0, k ? 30.5 * sin(pi * k / 12) : 0
        for (k = 1; k <= 24; k++) print "f", 1, k + 1, k % 24 + 2
    }' >"$work/plug.obj"
    stl "$work/plug.obj" "$work/plug.stl"
fi
for n in $theirs; do
    mesh "$n" "$work/theirs-$n.obj"
    stl "$work/theirs-$n.obj" "$work/theirs-$n.stl"
    rm "$work/theirs-$n.obj"
    steps=$(awk -v t="$until" 'BEGIN { print int(t / 5e-5 + 0.5) - 8000 }')
    [ "$steps" -ge 400 ] || { echo "compare-hopper: --until must be at least 0.42 with --liggghts; found $until" >&2; exit 2; }
    cat <<EOF >"$work/liggghts-$n.in"
$(soft_spheres theirs.data)
fix hopper all mesh/surface file theirs-$n.stl type 1
fix plug all mesh/surface file plug.stl type 1
fix walls all wall/gran model hertz tangential history mesh n_meshes 2 meshes hopper plug
fix move all nve/sphere
region below block -1 1 -1 1 -1 -0.03 units box
thermo_style custom step atoms cpu
thermo 1000
thermo_modify lost ignore norm no
run 6000
fix opens all move/mesh mesh plug linear 0.0 0.0 -1.5
run 2000 every 200 "delete_atoms region below compress no"
unfix opens
run $steps every 200 "delete_atoms region below compress no"
variable left equal atoms
print "left \${left}"
EOF
    : >"$work/liggghts-$n.times"
done
for _ in $(seq "$repeats"); do
    for n in $theirs; do
        (cd "$work" && /usr/bin/time -f 'memory %M %U %S' liggghts -in "liggghts-$n.in" >"liggghts-$n.log" 2>&1) ||
            { tail "$work/liggghts-$n.log" >&2; exit 1; }
        awk '/^Loop time/ { loops += $4 } /^memory/ { m = $2; core = $3 + $4 }
            END { printf "%.3f %.3f %.1f %.2f\n", core - loops, loops, m / 1024, core }' \
            "$work/liggghts-$n.log" >>"$work/liggghts-$n.times"
    done
    for case in $cases; do
        /usr/bin/time -f 'memory %M %U %S' "$moreau" run "$work/$case.toml" --out "$work/$case" --overwrite --threads 1 >"$work/$case.log" 2>&1 ||
            { cat "$work/$case.log" >&2; exit 1; }
        # Rows have the wall time since the row before.
        awk -F, -v all="$(sed -n 's/^end reached.* after \([0-9.]*\) s of wall time.*/\1/p' "$work/$case.log")" \
            -v memory="$(sed -n 's/^memory \([0-9]*\) [0-9.]* [0-9.]*$/\1/p' "$work/$case.log")" \
            -v core="$(awk '$1 == "memory" && NF == 4 { print $3 + $4 }' "$work/$case.log")" '
            NR == 1 { for (k = 1; k <= NF; k++) if ($k == "wall_s") c = k; next }
            { s += $c } END { printf "%.3f %.3f %.1f %.2f\n", all - s, s, memory / 1024, core }' "$work/$case/series.csv" >>"$work/$case.times"
    done
done
echo "case,triangles,start_s,steps_s,per_step,discharged,memory_MB,core_s" >"$table"
for case in $cases; do
    out=$(awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) if ($k ~ /mass/ && !c) c = k; next } { m = $c } END { printf "%.9g", m }' "$work/$case/flows.csv")
    median=$(sort -n -k 2 "$work/$case.times" | awk -v n="$repeats" 'NR == int((n + 1) / 2)')
    read -r start steps memory core <<<"$median"
    [ "$case" = cone ] && reference=$steps discharged=$out
    awk -v case="$case" -v n="${case#*-}" -v start="$start" -v steps="$steps" -v r="$reference" -v out="$out" -v o="$discharged" -v memory="$memory" -v core="$core" \
        'BEGIN { printf "%s,%s,%s,%s,%.3f,%.4f,%s,%s\n", case, n == "cone" ? 0 : n, start, steps, steps / r, out / o, memory, core }' >>"$table"
    [ "$case" != cone ] || went=$(awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) if ($k ~ /bodies/ && !c) c = k; next } { m = $c } END { print m }' "$work/$case/flows.csv")
done
for n in $theirs; do
    median=$(sort -n -k 2 "$work/liggghts-$n.times" | awk -v n="$repeats" 'NR == int((n + 1) / 2)')
    read -r start steps memory core <<<"$median"
    all=$(awk '/ atoms$/ { print $1; exit }' "$work/theirs.data")
    left=$(awk '$1 == "left" { n = $2 } END { print n }' "$work/liggghts-$n.log")
    awk -v n="$n" -v start="$start" -v steps="$steps" -v r="$reference" -v out="$((all - left))" -v o="$went" -v memory="$memory" -v core="$core" \
        'BEGIN { printf "liggghts-%s,%s,%s,%s,%.3f,%.4f,%s,%s\n", n, n, start, steps, steps / r, out / o, memory, core }' >>"$table"
done
cat "$table"
awk -F, -v until="$until" '
    $1 ~ /^mesh-/ && until >= 1 && ($6 < 0.99 || $6 > 1.01) { print "compare-hopper: " $1 " must discharge the mass of the cone and tube within 1 %; found " $6 " of it"; bad = 1 }
    END { exit bad }' "$table" >&2
