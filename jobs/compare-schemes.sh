#!/usr/bin/env bash
# Loads one sample with all four schemes: stress ratio and dilation, side by side.
#
#   bash jobs/compare-schemes.sh [--full] [--plot] [--only CASE]
#
# Makes samples of 200 and 400 discs (--full: also of 5000 discs and 5000 spheres) without friction
# under 1 kPa: contact dynamics presses them together, increments without inertia bring them into
# balance, spheres with friction. Then the top comes down by 2e-3 of the height and goes half way
# back, while the other free walls hold 1 kPa. Quasi-static schemes take 200 + 100 increments, above
# 400 bodies a tenth of that; kishino is left out there, where it takes an hour. Contact dynamics
# (moreau_jean) takes 4000 + 2000 steps at tolerance 1e-6. Lines are 1e-4 apart.
#
# The first slope is that of 1e-5 of the height, before contacts slide, from runs of their own (case
# with "-first") at smaller tolerances: one increment at rest and one down; contact dynamics goes
# down by 200 steps between 200 at rest. serrano_rodriguez takes part there alone, by one increment.
# It begins without forces, so its sample has no pressure, and its stress is added. It refuses
# samples in which a body can turn freely. kishino takes part with discs only.
# --plot: draws docs/schemes.svg with gnuplot. --only: the lines of one case are made anew.
#
# Writes target/schemes.csv with the columns
# scheme,case,strain,stress_ratio,volume_strain,sliding,iterations,products,core_seconds.
# sliding: contacts that slide; iterations and products of all increments so far, for moreau_jean
# the sweeps; core_seconds: of the whole run.
set -euo pipefail
self=$(realpath "$0")
cd "$(dirname "$self")/.."
# shellcheck source=jobs/mpi-env.sh
. jobs/mpi-env.sh

cases="discs200 discs400"
plot=no only=
while [ $# -gt 0 ]; do
    case $1 in
    --full) cases="$cases discs5000 spheres5000" ;;
    --plot) plot=yes ;;
    --only) only=$2 && shift ;;
    -h | --help)
        sed -n '2,/^set /{s/^# \{0,1\}//;/^set /d;p;}' "$self"
        exit 0
        ;;
    *)
        echo "compare-schemes: unknown argument $1 (known: --full --plot --only)" >&2
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
csv=$PWD/target/schemes.csv
docs=$PWD/docs
work=$PWD/target/schemes
mkdir -p "$work"
cd "$work"

pressure=1000 # Pa

# Sets the quantities of a case: kind and number of bodies, their stiffness [N/m], the mass of the
# free walls [kg], the first length of the cell [m].
sizes() {
    case $1 in
    discs*)
        planar=yes bodies=${1#discs} stiffness=1.0e6
        mass=20.0
        first=$(awk -v n="$bodies" 'BEGIN { printf "%.6f", sqrt(n * 3.14159265 * 1.03e-4 / 0.45) }')
        ;;
    spheres*)
        planar=no bodies=${1#spheres} stiffness=2.0e4
        mass=5.0
        first=$(awk -v n="$bodies" 'BEGIN { printf "%.6f", (n * 4.18879 * 1.09e-6 / 0.3) ^ (1 / 3) }')
        ;;
    esac
}

# The three components of a vector with one number along an axis (1 to 3).
along() {
    awk -v axis="$1" -v x="$2" 'BEGIN {
        for (a = 1; a <= 3; a++) printf "%s%s", (a > 1 ? ", " : "["), (a == axis ? x : "0.0")
        print "]"
    }'
}

# A plane: name, axis, place on it [m], side of the grains (1.0: above it), key of its motion.
wall() {
    cat <<EOF
[[wall]]
shape = "plane"
material = "smooth"
name = "$1"
point = $(along "$2" "$3")
normal = $(along "$2" "$4")
$5
EOF
}

# The key of a wall that is free along an axis, under the pressure.
pressed() { echo "free = { mass = $mass, direction = $(along "$1" 1.0), pressure = $pressure, gravity = false }"; }

# The key of a wall whose place along y is a table.
moved_by() { echo "table = { direction = [0.0, 1.0, 0.0], file = \"$1\", of = \"position\" }"; }

# A configuration without motions and bodies: scheme, friction, Δt, end, tolerance of sweeps.
head_of() {
    cat <<EOF
title = "schemes"
gravity = [0.0, 0.0, 0.0]
scheme = "$1"
[time]
dt = $3
until = $4
[domain]
lower = [-0.05, -0.05, -0.05]
upper = $(awk -v l="$first" -v planar=$planar 'BEGIN { x = 1.3 * l + 0.05; printf "[%g, %g, %g]", x, x, planar == "yes" ? 0.05 : x }')
dimensions = $([ $planar = yes ] && echo 2 || echo 3)
max_overlap = 0.05
[solver]
tolerance = $5
max_sweeps = 20000
[output]
series = 1
[checkpoint]
every = 0
[[material]]
name = "grain"
density = 2500.0
friction = $2
stiffness = $stiffness
tangential_stiffness_ratio = 0.5
[[material]]
name = "smooth"
density = 2500.0
friction = 0.0
stiffness = $stiffness
tangential_stiffness_ratio = 0.5
EOF
}

# The walls: places of the upper ends [m] along x, y and z, and their motions.
walls() {
    wall left 1 0.0 1.0 ""
    wall right 1 "$1" -1.0 "$4"
    wall bottom 2 0.0 1.0 ""
    wall top 2 "$2" -1.0 "$5"
    [ $planar = yes ] && return
    wall front 3 0.0 1.0 ""
    wall back 3 "$3" -1.0 "$6"
}

# The places of the upper ends at the end of a run, on one line.
ends() {
    awk -F, '$3 == "right" { x = $10 } $3 == "top" { y = $11 } $3 == "back" { z = $12 }
        END { printf "%.12g %.12g %.12g\n", x, y, z == "" ? 1 : z }' "$1/walls.csv"
}

newest() { ls "$1"/checkpoint-*.h5 | tail -n 1; }

# Runs a configuration on standard input into a folder, unless that was done before.
run() {
    local folder=$1
    mkdir -p "$folder"
    cat >"$folder.new"
    if [ -f "$folder.done" ] && cmp -s "$folder.new" "$folder.toml"; then
        rm "$folder.new"
        return
    fi
    rm -f "$folder.done"
    mv "$folder.new" "$folder.toml"
    # A run that was stopped, or that collapsed, has not reached its end.
    { "$moreau" run "$folder.toml" --out "$folder" --overwrite --threads 1 >"$folder.log" 2>&1 &&
        grep -q '^end reached' "$folder.log"; } || { cat "$folder.log" >&2; return 1; }
    touch "$folder.done"
}

# The bodies of a run that contacts hold, as CSV: those without a contact that presses are left out,
# as they make the stiffness of serrano_rodriguez singular. Contacts with walls are not in the dump:
# a body in a corner has one contact there. The tolerance leaves less than 1e-4 of the mean force.
bearing() {
    "$moreau" convert --to lammps --out "$1-dump" "$(newest "$1")" >/dev/null
    awk 'FNR == 1 { file++; entries = 0 }
        entries && file == 1 { sum += $3; n++ }
        entries && file == 2 && $3 > 1e-4 * sum / n { holds[$1]++; holds[$2]++ }
        entries && file == 3 && ($1 in holds) { printf "%s,%s,%s,%s\n", $3, $4, $5, $(NF - 1) }
        /^ITEM: (ENTRIES|ATOMS) / { entries = 1 }
        BEGIN { print "x,y,z,radius" }' "$1-dump/contacts.dump" "$1-dump/contacts.dump" "$1-dump/bodies.dump"
}

# Lines of the result: scheme, case, folder, lengths of the sample [m], steps from line to line.
result() {
    local seconds
    seconds=$(sed -n 's/^end reached.* after \([0-9.]*\) s of wall time.*/\1/p' "$3.log")
    local counts=$3/increments.csv sweeps=1
    [ -f "$counts" ] || { counts=$3/series.csv; sweeps=6; }
    awk -F, -v scheme="$1" -v name="$2" -v lengths="$4" -v planar=$planar -v sweeps=$sweeps -v seconds="$seconds" \
        -v pressure=$pressure -v every="$5" '
        BEGIN { split(lengths, l, " ") }
        FNR == 1 { file++; next }
        file == 1 && sweeps == 1 { iterations += $4; products += $5; n[$1] = $8 "," iterations "," products }
        file == 1 && sweeps != 1 { iterations += $6; n[$1] = "," iterations "," }
        file == 2 { step[$1] = 1; fx[$1, $3] = $4; fy[$1, $3] = $5; fz[$1, $3] = $6; x[$1, $3] = $10; y[$1, $3] = $11; z[$1, $3] = $12; last = $1 }
        END {
            for (s = 1; s <= last; s++) if ((s in step) && s % every == 0) {
                a = x[s, "right"]; b = y[s, "top"]; c = planar == "yes" ? 1 : z[s, "back"]
                one = fy[s, "top"] / (a * c)
                three = fx[s, "right"] / (b * c)
                if (planar != "yes") three = (three + fz[s, "back"] / (a * b)) / 2
                if (scheme == "serrano_rodriguez") { one += pressure; three += pressure }
                volume = a * b * c / (l[1] * l[2] * l[3]) - 1
                printf "%s,%s,%.9g,%.9g,%.9g,%s,%s\n", scheme, name, 1 - b / l[2], one / three, volume, n[s], seconds
            }
        }' "$counts" "$3/walls.csv" >>"$csv"
}

header="scheme,case,strain,stress_ratio,volume_strain,sliding,iterations,products,core_seconds"
if [ -n "$only" ]; then
    cases=$only
    [ -f "$csv" ] || echo "$header" >"$csv"
    sed -i "/^[a-z_]*,$only\(-first\)\?,/d" "$csv"
else
    echo "$header" >"$csv"
fi
for case in $cases; do
    sizes "$case"
    # Loosely at random, then pressed together by contact dynamics; many discs ring longer.
    pressed_until=3.0
    [ "$case" = discs5000 ] && pressed_until=12.0
    {
        head_of moreau_jean 0.0 1.0e-3 $pressed_until 1.0e-4
        walls "$first" "$first" "$first" "$(pressed 1)" "$(pressed 2)" "$(pressed 3)"
        cat <<EOF
[[bodies]]
sample = "random"
material = "grain"
count = $bodies
radius = { uniform = [0.007, 0.013] }
lower = [0.0, 0.0, $([ $planar = yes ] && echo -0.05 || echo 0.0)]
upper = [$first, $first, $([ $planar = yes ] && echo 0.05 || echo "$first")]
EOF
    } | run "$case-pressed"
    sample() {
        printf '[[bodies]]\nsample = "file"\nmaterial = "grain"\nfile = "%s"\n' "$1"
    }
    read -r a b c <<<"$(ends "$case-pressed")"
    {
        # Spheres without friction find no balance without inertia: they are hardly jammed.
        head_of bagi_bojtar "$([ $planar = yes ] && echo 0.0 || echo 0.5)" 1.0 3.0 1.0e-4
        walls "$a" "$b" "$c" "$(pressed 1)" "$(pressed 2)" "$(pressed 3)"
        sample "$(newest "$case-pressed")"
        printf '[quasistatic]\ntolerance = 1.0e-6\nmax_iterations = 1000\n'
    } | run "$case-balanced"
    read -r a b c <<<"$(ends "$case-balanced")"
    grains=$case-grains.csv
    bearing "$case-balanced" >"$grains"
    # A run: scheme, case, end, increments or steps a second, those from line to line, tolerance.
    loaded() {
        local scheme=$1 of=$2 end=$3 rate=$4 every=$5 held=$pressure
        local keys="[quasistatic]\nmax_iterations = 1000\ntolerance = $6\n"
        # It begins without forces, and does not iterate.
        [ "$scheme" = serrano_rodriguez ] && pressure=0.0 keys="[quasistatic]\ntolerance = $6\n"
        [ "$scheme" = moreau_jean ] && keys=''
        {
            head_of "$scheme" 0.5 "$(awk -v n="$rate" 'BEGIN { print 1.0 / n }')" "$end" "$6"
            walls "$a" "$b" "$c" "$(pressed 1)" "$lid" "$(pressed 3)"
            sample "$grains"
            printf "%b" "$keys"
        } | run "$of-$scheme" || {
            # Serrano refuses a sample in which bodies can move freely.
            [ "$scheme" = serrano_rodriguez ] && grep -q "stiffness is singular" "$of-$scheme.log" || exit 1
            pressure=$held
            return 0
        }
        pressure=$held
        result "$scheme" "$of" "$of-$scheme" "$a $b $c" "$every"
    }
    # At rest, then down by 1e-5 of the height; serrano_rodriguez does one increment only.
    down=$(awk -v b="$b" 'BEGIN { printf "%.12g", 1e-5 * b }')
    printf 'time,value\n0,0\n1,-%s\n' "$down" >"$case-only-lid.csv"
    printf 'time,value\n0,0\n1,0\n2,-%s\n3,-%s\n' "$down" "$down" >"$case-first-lid.csv"
    lid=$(moved_by "$case-only-lid.csv")
    loaded serrano_rodriguez "$case-first" 1.0 1 1 1.0e-6
    lid=$(moved_by "$case-first-lid.csv")
    loaded bagi_bojtar "$case-first" 2.0 1 1 1.0e-6
    [ $planar = yes ] && loaded kishino "$case-first" 2.0 1 1 1.0e-6
    # Its sample comes to rest.
    loaded moreau_jean "$case-first" 3.0 200 200 1.0e-7
    # Down by 2e-3 of the height, then half way back.
    down=$(awk -v b="$b" 'BEGIN { printf "%.12g", 2e-3 * b }')
    printf 'time,value\n0,0\n20,-%s\n30,-%s\n' "$down" "$(awk -v d="$down" 'BEGIN { print d / 2 }')" >"$case-lid.csv"
    lid=$(moved_by "$case-lid.csv")
    rate=10
    [ "$bodies" -gt 400 ] && rate=1
    loaded bagi_bojtar "$case" 30.0 $rate $rate 1.0e-4
    [ "$bodies" -le 400 ] && loaded kishino "$case" 30.0 $rate $rate 1.0e-4
    loaded moreau_jean "$case" 30.0 200 200 1.0e-6
done
echo "$csv:"
awk -F, 'NR > 1 && $3 > 1.9999e-3 && $3 < 2.0001e-3 { print $1, $2, "at 2e-3:", $4, "core-s", $9 }
    # A sample without forces begins at 1.
    $2 ~ /-first$/ && $3 < 1e-6 { rest[$1, $2] = $4 - 1 }
    $2 ~ /-first$/ && $3 > 1e-6 { slope[$1 " " $2] = ($4 - 1 - rest[$1, $2]) / $3 }
    END { for (k in slope) print k, "slope:", slope[k] }' "$csv"
if [ $plot = yes ]; then
    gnuplot <<EOF
set terminal svg size 640,480
set output "$docs/schemes.svg"
set datafile separator ","
set key bottom right
set xlabel "strain"
set xtics 5e-4
set ylabel "σ₁/σ₃"
rows(scheme) = "<awk -F, '/^" . scheme . ",discs200,/' $csv"
plot rows("bagi_bojtar") using 3:4 with lines title "Bagi and Bojtár", \
    rows("kishino") using 3:4 with points title "Kishino", \
    rows("moreau_jean") using 3:4 with lines title "contact dynamics", \
    "<awk -F, 'BEGIN { print \"0,1\" } /^serrano_rodriguez,discs200-first,/ { print \$3 * 20 \",\" 1 + (\$4 - 1) * 20 }' $csv" \
    using 1:2 with lines title "Serrano and Rodríguez-Ortiz, first slope"
EOF
fi
