#!/usr/bin/env bash
# Draws docs/silo.svg, janssen.svg, column.svg, repose.svg and drum.svg.
#
#   bash jobs/plots-flowing.sh [--png]
#
# The data are those that the slow tests of tests/flowing.rs have written to target/laboratory.
# Needs gnuplot. --png: pictures in target/laboratory instead, to look at.
set -euo pipefail
self=$(realpath "$0")
cd "$(dirname "$self")/.."

ending=svg
folder=docs
terminal='svg size 640,420 background "white"'
case ${1:-} in
"") ;;
--png)
    ending=png
    folder=target/laboratory
    terminal='pngcairo size 640,420'
    ;;
-h | --help)
    sed -n '2,/^set /{s/^# \{0,1\}//;/^set /d;p;}' "$self"
    exit 0
    ;;
*)
    echo "plots-flowing: unknown argument $1 (known: --png)" >&2
    exit 2
    ;;
esac
command -v gnuplot >/dev/null || { echo "plots-flowing: gnuplot is missing; on Debian it is the package gnuplot-nox" >&2 && exit 1; }

# Draws one picture from target/laboratory/NAME.csv, if it exists; commands on stdin.
draw() {
    local data=target/laboratory/$1.csv
    if [ ! -e "$data" ]; then
        echo "plots-flowing: $data is missing: run the slow tests of tests/flowing.rs" >&2
        return
    fi
    {
        printf 'set terminal %s\nset output "%s/%s.%s"\nset datafile separator ","\ndata = "%s"\n' "$terminal" "$folder" "$1" "$ending" "$data"
        cat
    } | gnuplot
}

draw silo <<'EOF'
set title "Mass flow of a silo, five seeds"
set logscale xy
set key left top
set xrange [4:14]
set xtics (4, 5, 6, 8, 10, 12)
set xlabel "D_o/d − 1.4"
set ylabel "mass flow [kg/s]"
stats data skip 1 using (log($2) - 2.5*log($1 - 1.4)) nooutput
plot exp(STATS_mean)*x**2.5 title "exponent 5/2" lc "gray", data skip 1 using ($1 - 1.4):2:3 with yerrorbars title "measured" pt 7 lc "black"
EOF

draw janssen <<'EOF'
set title "Stress in a narrow silo, wall driven upwards, five seeds"
set key right bottom
set xrange [0:*]
set yrange [0:*]
set xlabel "depth / D"
set ylabel "vertical stress / (ρ g D)"
stats data skip 1 using 3 nooutput
l = STATS_mean
plot x title "hydrostatic" lc "gray", l*(1 - exp(-x/l)) title "Janssen, λ fitted" lc "black", data skip 1 using 1:2 title "slices" pt 7 lc "black"
EOF

draw column <<'EOF'
set title "Runout of a collapsing column, five seeds"
set key left top
set xrange [0:2.5]
set yrange [1:*]
set xlabel "aspect ratio a = h/r_0"
set ylabel "runout r/r_0"
plot 1 + (x < 1.7 ? 1.24*x : 1.6*sqrt(x)) title "Lube et al. 2004" lc "gray", data skip 1 using 1:2:3 with yerrorbars title "measured" pt 7 lc "black"
EOF

draw repose <<'EOF'
set title "Angle of repose, five seeds"
set key left top
set xrange [0:0.7]
set xlabel "friction"
set ylabel "degrees"
plot data skip 1 using 1:($2 == 0 ? $3 : NaN):4 with yerrorbars title "no rolling friction" pt 6 lc "black", \
    data skip 1 using 1:($2 == 0.1 ? $3 : NaN):4 with yerrorbars title "rolling friction 0.1" pt 7 lc "black", \
    data skip 1 using 1:($2 == 0.3 ? $3 : NaN):4 with yerrorbars title "rolling friction 0.3" pt 5 lc "black"
EOF

draw drum <<'EOF'
set title "A drum, not quite half full, five seeds"
set key right top
set logscale x
set xrange [5e-4:20]
set yrange [0:90]
set y2range [0:0.6]
set ytics nomirror
set y2tics
set xlabel "Froude number Ω²R/g"
set ylabel "angle of the centre of mass [degrees]"
set y2label "its distance from the axis / R"
plot data skip 1 using 1:($1 < 1 ? $2 : NaN):3 with yerrorbars title "angle" pt 7 lc "black", \
    data skip 1 using 1:4:5 axes x1y2 with yerrorbars title "distance" pt 6 lc "gray40"
EOF
