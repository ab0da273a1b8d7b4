#!/usr/bin/env bash
# Measures core-seconds from a loose packing to rest, here and with soft spheres.
#
#   bash jobs/compare.sh [--quick] [--sizes "10000 50000"] [--repeats 3]
#
# The soft spheres are those of LIGGGHTS (Debian's), in the same run. Spheres of 10 mm, 2500 kg/m3,
# friction 0.5, fall from a loose lattice into a box. Each code runs on one core until the
# translational kinetic energy is below 1e-6 m g d per body. LIGGGHTS has its softest stiffness (5e6
# Pa, dt 5e-5 s). Of the runs here one has springs of 2.18e4 N/m (c = 0.03 at dt 1e-3 s), the other
# rigid contacts and a projection of positions. `moreau info` measures all final packings: overlap
# over the smaller radius, packing fraction of the core.
#
# Writes target/compare.csv with the columns
#
#   code,case,core_seconds,steps,sim_time,packing_fraction,max_overlap
#
# for each code and case: the median of the repeats by core-seconds. --quick: 10000 spheres, once.
# Run nothing else on the machine meanwhile.
set -euo pipefail
self=$(realpath "$0")
cd "$(dirname "$self")/.."
# shellcheck source=jobs/mpi-env.sh
. jobs/mpi-env.sh
# shellcheck source=jobs/liggghts.sh
. jobs/liggghts.sh

sizes="10000 50000"
repeats=3
while [ $# -gt 0 ]; do
    case $1 in
    --quick) sizes=10000 repeats=1 ;;
    --sizes) sizes=$2 && shift ;;
    --repeats) repeats=$2 && shift ;;
    -h | --help)
        sed -n '2,/^set /{s/^# \{0,1\}//;/^set /d;p;}' "$self"
        exit 0
        ;;
    *)
        echo "compare: unknown argument $1 (known: --quick --sizes --repeats)" >&2
        exit 2
        ;;
    esac
    shift
done

need_liggghts compare
cargo build --release --locked
moreau=$(realpath "${CARGO_TARGET_DIR:-target}")/release/moreau
work=$PWD/target/compare
mkdir -p "$work"
cd "$work"
lines=$(mktemp)
trap 'rm -f "$lines"' EXIT
TIMEFORMAT='%U %S'

# A loose lattice, every centre off its site by up to 0.25 mm: "x y z" a line, and the edge of its
# box in edge_*.
lattice() {
    awk -v n="$1" -v side="$2" 'BEGIN {
        seed = 1
        for (k = 0; k < n; k++) {
            site[0] = k % side; site[1] = int(k / side) % side; site[2] = int(k / side / side)
            for (a = 0; a < 3; a++) {
                seed = (seed * 16807) % 2147483647
                x[a] = (a < 2 ? 0.0095 : 0.0055) + 0.0105 * site[a] + 0.0005 * (seed / 2147483647 - 0.5)
            }
            printf "%.9f %.9f %.9f\n", x[0], x[1], x[2]
        }
    }'
}

# Writes a configuration in which the spheres of a CSV settle. $1: file, $2: out
configuration() {
    cat <<EOF
title = "compare"
gravity = [0.0, 0.0, -9.81]
[time]
dt = 1.0e-3
rest = 1.0e-6
until = 10.0
[domain]
lower = [0.0, 0.0, 0.0]
upper = [$edge, $edge, $height]
max_overlap = 0.5
[solver]
tolerance = 5.0e-3
order = "step"
[[material]]
name = "glass"
density = 2500.0
friction = 0.5
[[wall]]
shape = "box"
material = "glass"
[[bodies]]
sample = "file"
file = "$1"
material = "glass"
[output]
series = 1
[checkpoint]
every = 1000000
EOF
}

# Appends a line to the table: $1 code, $2 core-seconds, $3 steps, $4 time, $5 output of moreau
# info.
note() {
    local packing overlap
    packing=$(awk '$1 == "packing" { print $2 }' "$5")
    overlap=$(awk '$1 == "overlap" { print $2 }' "$5")
    echo "$1,settle-$n,$2,$3,$4,$packing,$overlap" | tee -a "$lines"
}

# Runs a command. Leaves its time in user and system mode in core_seconds, its output in $1.
timed() {
    local log=$1 times
    shift
    times=$({ time "$@" >"$log" 2>&1; } 2>&1)
    core_seconds=$(awk '{ print $1 + $2 }' <<<"$times")
}

# One run of this code. $1: its name in the table, then settings.
ours() {
    local name=$1 log=ours.log
    shift
    rm -rf ours
    timed $log "$moreau" run ours.toml --out ours "$@"
    "$moreau" info ours >info.txt
    awk -v core="$core_seconds" '/^at rest/ { gsub(",", ""); print core, $5, $7 }' $log >line.txt
    [ -s line.txt ] || { echo "compare: $name did not come to rest:" && tail $log; } >&2
    read -r core steps time <line.txt
    note "$name" "$core" "$steps" "$time" info.txt
}

# One run of LIGGGHTS.
theirs() {
    rm -f final.dump
    timed theirs.log liggghts -in liggghts.in
    [ -s final.dump ] || { tail theirs.log >&2 && exit 1; }
    # Reads the steps done and the last positions without another step, which would move them.
    local steps
    steps=$(awk '/^ITEM: TIMESTEP/ { getline; print }' final.dump)
    { echo x,y,z,radius && awk 'body { print $3 "," $4 "," $5 ",0.005" } /^ITEM: ATOMS/ { body = 1 }' final.dump; } >final.csv
    configuration final.csv >final.toml
    rm -rf final
    "$moreau" run final.toml --out final --until 1e-3 --set solver.max_sweeps=1 >final.log 2>&1 ||
        { tail final.log >&2 && exit 1; }
    "$moreau" info final >info.txt
    note LIGGGHTS "$core_seconds" "$steps" "$(awk -v n="$steps" 'BEGIN { print n * 5e-5 }')" info.txt
}

for n in $sizes; do
    # Before the fall the lattice is about as wide as high.
    side=$(awk -v n="$n" 'BEGIN { print int(exp(log(n) / 3) * 1.0837 + 0.5) }')
    edge=$(awk -v s="$side" 'BEGIN { print 0.0105 * s + 0.0085 }')
    height=$(awk -v n="$n" -v s="$side" 'BEGIN { print 0.0105 * (int((n - 1) / s / s) + 2) }')
    lattice "$n" "$side" >sites.txt
    { echo x,y,z,radius && awk '{ print $1 "," $2 "," $3 ",0.005" }' sites.txt; } >ours.csv
    configuration ours.csv >ours.toml
    {
        printf 'settle %d\n\n%d atoms\n\n1 atom types\n\n' "$n" "$n"
        printf '0 %s xlo xhi\n0 %s ylo yhi\n0 %s zlo zhi\n\nAtoms\n\n' "$edge" "$edge" "$height"
        awk '{ print NR, 1, 0.01, 2500, $1, $2, $3 }' sites.txt
    } >theirs.data
    # 1e-6 m g d per body [J].
    rest=$(awk -v n="$n" 'BEGIN { print 1e-6 * n * 2500 * 3.141592653589793 / 6 * 1e-6 * 9.81 * 0.01 }')
    cat >liggghts.in <<EOF
$(soft_spheres theirs.data)
fix w1 all wall/gran model hertz tangential history primitive type 1 xplane 0.0
fix w2 all wall/gran model hertz tangential history primitive type 1 xplane $edge
fix w3 all wall/gran model hertz tangential history primitive type 1 yplane 0.0
fix w4 all wall/gran model hertz tangential history primitive type 1 yplane $edge
fix w5 all wall/gran model hertz tangential history primitive type 1 zplane 0.0
fix move all nve/sphere
compute ke all ke
thermo_style custom step atoms c_ke
thermo 200
thermo_modify lost error norm no
variable ke equal c_ke
run 4000
variable turn loop 1000
label again
run 200
if "\${ke} < $rest" then "jump SELF done"
next turn
jump SELF again
label done
write_dump all custom final.dump id type x y z
EOF
    for _ in $(seq "$repeats"); do
        theirs
        ours moreau-compliant --set 'material.0.stiffness=2.18e4'
        ours moreau-rigid --set solver.tolerance=1e-2
    done
done

{
    echo code,case,core_seconds,steps,sim_time,packing_fraction,max_overlap
    # The median by core-seconds, for each code and case.
    sort -t, -k2,2 -k1,1 -k3,3g "$lines" | awk -F, '
        { key = $1 "," $2; if (!(key in count)) keys[++n] = key; line[key, ++count[key]] = $0 }
        END { for (k = 1; k <= n; k++) print line[keys[k], int((count[keys[k]] + 1) / 2)] }'
} >../compare.csv
printf '\n%s\n' "$PWD/../compare.csv"
cat ../compare.csv
# The cost of the same packings relative to spheres as stiff as glass (5e10 Pa). The steps of these
# are a hundred times shorter.
awk -F, 'NR > 1 { core[$2 "," $1] = $3; cases[$2] }
    END {
        for (c in cases) for (k = 1; k <= 2; k++) {
            us = k == 1 ? "moreau-compliant" : "moreau-rigid"
            if (core[c "," us] > 0)
                printf "%s: %s takes 1/%.1f of the core-seconds of LIGGGHTS; 1/%.0f of those at the stiffness of glass, by its cost per step\n",
                    c, us, core[c ",LIGGGHTS"] / core[c "," us], 100 * core[c ",LIGGGHTS"] / core[c "," us]
        }
    }' ../compare.csv
