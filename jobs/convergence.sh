#!/usr/bin/env bash
# Counts the sweeps of a solve, plain and accelerated: docs/convergence.md.
#
#   bash jobs/convergence.sh [--full] [--plot]
#
# Settles packings (kept in target/convergence as long as program and configuration stay the same).
# Then solves the same step of each again and again: from cold and warm, to load residuals of 1e-2,
# 3e-3 and 1e-3, rigid and with springs (c = C m_n/dt², to 1e-4 as well), with an order renewed in
# each sweep and no acceleration, and with momentum. --full: in addition a box of 97 000 spheres
# (some ten minutes on one core). --plot: draws docs/convergence.svg with gnuplot.
#
# Writes target/convergence.csv with the columns
# case,bodies,contacts,c,start,tolerance,method,sweeps,sweep_seconds,residual,converged.
set -euo pipefail
self=$(realpath "$0")
cd "$(dirname "$self")/.."
# shellcheck source=jobs/mpi-env.sh
. jobs/mpi-env.sh

cases="box column drum pile"
plot=no
while [ $# -gt 0 ]; do
    case $1 in
    --full) cases="$cases box100" ;;
    --plot) plot=yes ;;
    -h | --help)
        sed -n '2,/^set /{s/^# \{0,1\}//;/^set /d;p;}' "$self"
        exit 0
        ;;
    *)
        echo "convergence: unknown argument $1 (known: --full --plot)" >&2
        exit 2
        ;;
    esac
    shift
done
cargo build --release --locked
moreau=$(realpath "${CARGO_TARGET_DIR:-target}")/release/moreau
csv=$PWD/target/convergence.csv
docs=$PWD/docs
work=$PWD/target/convergence
mkdir -p "$work"
cd "$work"

# title, lower, upper, end [s], then walls and bodies.
config() {
    cat <<EOF
title = "$1"
gravity = [0.0, 0.0, $5]
[time]
dt = 1.0e-3
until = $4
[domain]
lower = $2
upper = $3
periodic = $6
[solver]
tolerance = 1.0e-2
projection = $7
[output]
series = 1
[checkpoint]
every = 0
[[material]]
name = "glass"
density = 2500.0
friction = 0.5
EOF
}
# The number of bodies, and their other keys.
spheres() {
    printf '[[bodies]]\nsample = "lattice"\nmaterial = "glass"\nradius = { uniform = [0.0045, 0.0055] }\ncount = %s\n%s\n' "$1" "${2:-}"
}
wall() {
    printf '[[wall]]\nmaterial = "glass"\n%b\n' "$1"
}
off='[false, false, false]'
{
    config "box" "[0.0, 0.0, 0.0]" "[0.2, 0.2, 0.4]" 1.0 -9.81 "$off" 5
    wall 'shape = "box"'
    spheres 8000
} >box.toml
{
    config "box100" "[0.0, 0.0, 0.0]" "[0.5, 0.5, 0.7]" 1.2 -9.81 "$off" 5
    wall 'shape = "box"'
    spheres 97000
} >box100.toml
{
    config "column" "[0.0, 0.0, 0.0]" "[0.12, 0.12, 1.2]" 1.5 -9.81 "$off" 5
    wall 'shape = "box"'
    spheres 8640
} >column.toml
{
    config "drum" "[-0.15, 0.0, -0.15]" "[0.15, 0.2, 0.15]" 2.0 -9.81 "$off" 5
    wall 'shape = "cylinder"\nname = "drum"\nfrom = [0.0, 0.0, 0.0]\nto = [0.0, 0.2, 0.0]\nradius = 0.15\nside = "inside"\ncaps = true\nrotation = { axis = [0.0, 1.0, 0.0], rate = 1.0 }'
    spheres 4600 'lower = [-0.1, 0.0, -0.1]
upper = [0.1, 0.2, 0.12]'
} >drum.toml
# A regular pile of 16³ touching spheres under a piston [001 eq. 1.34]. The piston has mass and
# weight of a layer; the pile is periodic sideways, without gravity.
awk -v n=16 'BEGIN {
    d = 0.01; a = 1.02 * d; h = sqrt(d * d - a * a / 2)
    print "x,y,z,radius"
    for (l = 0; l < n; l++) for (k = 0; k < n * n; k++) {
        shift = l % 2 ? 0.75 : 0.25
        printf "%.17g,%.17g,%.17g,%.17g\n", (k % n + shift) * a, (int(k / n) + shift) * a, d / 2 + l * h, d / 2
    }
}' >pile.csv
top=$(awk 'BEGIN { d = 0.01; a = 1.02 * d; printf "%.17g", d + 15 * sqrt(d * d - a * a / 2) }')
{
    config "pile" "[0.0, 0.0, -0.01]" "[0.1632, 0.1632, 0.2]" 0.01 0.0 "[true, true, false]" 0
    wall 'shape = "plane"\npoint = [0.0, 0.0, 0.0]\nnormal = [0.0, 0.0, 1.0]'
    wall "shape = \"plane\"\nname = \"piston\"\npoint = [0.0, 0.0, $top]\nnormal = [0.0, 0.0, -1.0]\nfree = { mass = 0.335, direction = [0.0, 0.0, 1.0], load = [0.0, 0.0, -3.35], gravity = false }"
    printf '[[bodies]]\nsample = "file"\nmaterial = "glass"\nfile = "pile.csv"\n'
} >pile.toml

for c in $cases; do
    # A packing that another program or another configuration settled is a different packing.
    if [ "$moreau" -nt "$c.settled" ] || ! cmp -s "$c.toml" "$c.settled"; then
        rm -rf "$c" "$c.settled"
        echo "convergence: settling $c" >&2
        "$moreau" run "$c.toml" --out "$c" >"$c.log" 2>&1 || { tail -n 5 "$c.log" >&2 && exit 1; }
        cp "$c.toml" "$c.settled"
    fi
done

# The stiffness k = m_n/(c dt²) of springs for c, with the reduced mass m_n of two mean spheres.
stiffness() {
    awk -v c="$1" 'BEGIN { printf "%.6e", 0.5 * 2500 * 3.14159265358979 / 6 * 1e-6 / (c * 1e-6) }'
}
echo "case,bodies,contacts,c,start,tolerance,method,sweeps,sweep_seconds,residual,converged" >"$csv"
one() {
    local case=$1 c=$2 start=$3 tolerance=$4 method=$5
    local files=("$case"/checkpoint-*.h5) set=()
    local last=${files[-1]}
    local step=${last##*-}
    step=$((10#${step%.h5}))
    [ "$c" = 0 ] || set+=(--set "material.0.stiffness=$(stiffness "$c")")
    [ "$start" = warm ] || set+=(--set solver.warm_start=false)
    [ "$method" = momentum ] || set+=(--set solver.acceleration=none --set solver.order=sweep)
    rm -rf once
    "$moreau" resume "$last" --out once --steps $((step + 1)) --set solver.projection=0 --set solver.max_sweeps=10000 \
        --set "solver.tolerance=$tolerance" "${set[@]}" >once.log 2>&1 || { tail -n 5 once.log >&2 && return 1; }
    awk -F, -v what="$case,$c,$start,$tolerance,$method" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        END { split(what, w, ","); printf "%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s\n", w[1], $at["bodies"], $at["contacts"], w[2], w[3], w[4],
            w[5], $at["sweeps"], $at["sweep_s"], $at["residual"], $at["converged"] }' once/series.csv | tee -a "$csv"
}
for case in $cases; do
    for start in cold warm; do
        for tolerance in 1e-2 3e-3 1e-3; do
            for method in plain momentum; do one "$case" 0 "$start" "$tolerance" "$method"; done
        done
        for c in 0.03 0.01; do
            for method in plain momentum; do one "$case" "$c" "$start" 1e-4 "$method"; done
        done
    done
done

# Prints the factors by which momentum reduces sweeps and seconds. They are the geometric means over
# all rigid solves to 1e-2 and 1e-3, and the least.
awk -F, 'NR > 1 { key = $1 "," $4 "," $5 "," $6; if ($7 == "plain") { n[key] = $8; t[key] = $9 } else {
        r = n[key] / $8; s = t[key] / $9; k = $4 > 0 ? "with springs, 1e-4" : "rigid"
        if ($4 > 0 || $6 != "3e-3") { sum[k] += log(r); sec[k] += log(s); m[k]++; if (!(k in low) || r < low[k]) low[k] = r } } }
    END { for (k in m) printf "%s: %.2f times fewer sweeps, %.2f times fewer seconds (geometric means over %d), the least %.2f\n", k,
        exp(sum[k] / m[k]), exp(sec[k] / m[k]), m[k], low[k] }' "$csv"

if [ $plot = yes ]; then
    command -v gnuplot >/dev/null || { echo "convergence: gnuplot is missing; on Debian it is the package gnuplot-nox" >&2 && exit 1; }
    gnuplot <<EOF
set terminal svg size 720,420 background "white"
set output "$docs/convergence.svg"
set datafile separator ","
set key left top
set logscale xy
set xlabel "sweeps of plain NSGS"
set ylabel "sweeps with momentum"
set title "One step solved twice: every solve is a point"
plot x title "as many" lc "gray", x/4 title "a quarter" lc "black" dt 2, \
    "< awk -F, 'NR>1{k=\$1\",\"\$4\",\"\$5\",\"\$6; if(\$7==\"plain\")n[k]=\$8; else if(\$4==0)print n[k]\",\"\$8}' $csv" using 1:2 title "rigid" pt 7, \
    "< awk -F, 'NR>1{k=\$1\",\"\$4\",\"\$5\",\"\$6; if(\$7==\"plain\")n[k]=\$8; else if(\$4>0)print n[k]\",\"\$8}' $csv" using 1:2 title "with springs" pt 6
EOF
fi
