#!/usr/bin/env bash
# Plots the results of tests/jammed.rs, from target/laboratory/*.csv, to docs/*.svg.
#
#   bash jobs/plots-jammed.sh [FOLDER]
#
# The slow tier writes the data: jobs/validate.sh. Needs gnuplot. With FOLDER the plots go there.
# Plots without data are left out, with a message.
set -euo pipefail
case ${1-} in
-h | --help)
    sed -n '2,/^set /{s/^# \{0,1\}//;/^set /d;p;}' "$0"
    exit 0
    ;;
esac
cd "$(dirname "$(realpath "$0")")/.."
data=target/laboratory
to=${1:-docs}
mkdir -p "$to"

# draw NAME: gnuplot's commands on standard input.
draw() {
    if [ ! -f "$data/$1.csv" ]; then
        echo "$data/$1.csv is not there: no plot of it" >&2
        return
    fi
    {
        echo "set terminal svg size 560,400 font 'sans,13' background 'white'"
        echo "set output '$to/$1.svg'"
        echo "set datafile separator ','"
        echo "set key noenhanced"
        cat
    } | gnuplot
    echo "$to/$1.svg"
}

draw c1 <<G
set xlabel 'case'
set ylabel 'solid fraction'
set yrange [0.5:0.68]
set xrange [-0.5:2.5]
set xtics ('no friction' 0, 'friction 0.5' 1, 'friction 10, rolling 0.1' 2)
set boxwidth 0.5
plot '$data/c1.csv' skip 1 using 0:3:4 with yerrorbars pointtype 7 linecolor 'black' notitle
G

draw c2 <<G
set xlabel 'length of a step from rest [s]'
set ylabel 'contacts beyond 3 N - 1'
set logscale x
set xrange [0.006:0.5]
set yrange [-110:10]
set key bottom right
plot 0 linecolor 'gray60' notitle, \
     '$data/c2.csv' skip 1 using (\$2*(1+0.03*(int(\$1-1)%3))):3 with points pointtype 7 pointsize 0.5 linecolor 'black' title 'five packings of 5200 spheres'
G

draw c3 <<G
set xlabel 'case'
set ylabel 'contacts of a body that is no rattler'
set y2label 'share of rattlers'
set yrange [3:6.5]
set y2range [0:0.5]
set ytics nomirror
set y2tics
set xrange [-0.5:2.5]
set xtics ('no friction' 0, 'friction 0.5' 1, 'friction 10, rolling 0.1' 2)
set key top right
plot '$data/c3.csv' skip 1 using 0:2:3 with yerrorbars pointtype 7 linecolor 'black' title 'contacts', \
     '' skip 1 using 0:4:5 axes x1y2 with yerrorbars pointtype 6 linecolor 'gray40' title 'rattlers'
G

draw c4 <<G
set xlabel 'normal force, in means'
set ylabel 'probability density'
set logscale y
set yrange [1e-4:2]
plot '$data/c4.csv' skip 1 using 1:2 with points pointtype 6 title 'no friction', \
     '' skip 1 using 1:3 with points pointtype 7 title 'friction 0.5'
G

draw b12 <<G
set xlabel 'solve'
set ylabel 'forces: rms difference from the first'
set y2label 'vertical stress over that of the first'
set y2tics
set ytics nomirror
set yrange [0:0.6]
set y2range [0.99:1.01]
set key center bottom
first = 0
plot '$data/b12.csv' skip 1 using 0:1 with points pointtype 7 title 'forces', \
     '' skip 1 using 0:(first = (\$0 == 0 ? \$5 : first), \$5 / first) axes x1y2 with points pointtype 6 title 'stress'
G

draw c12 <<G
set xlabel 'contacts with less than so many mean forces'
set ylabel 'their share'
set key outside top horizontal
set pointsize 0.6
set xrange [0:4]
plot '$data/c12.csv' skip 1 using 2:4 with points pointtype 6 title 'of the pressure', \
     '' skip 1 using 2:5 with points pointtype 7 title 'deviator over pressure', \
     '' skip 1 using 2:3 with points pointtype 1 title 'of the number'
G

draw c14 <<G
set xlabel 'pressure [Pa]'
set ylabel 'porosity'
set logscale x
set xrange [400:2500]
set xtics (500, 1000, 2000)
set key below
plot '$data/c14.csv' skip 1 using 1:(\$2 == 0.5 ? \$4 : NaN):5 with yerrorbars pointtype 6 title 'cohesion 0.5 sigma d^2', \
     '' skip 1 using 1:(\$2 == 4 && \$3 == 0.1 ? \$4 : NaN):5 with yerrorbars pointtype 7 title '4', \
     '' skip 1 using 1:(\$2 == 4 && \$3 == 0 ? \$4 : NaN):5 with yerrorbars pointtype 4 title '4, no rolling friction', \
     '' skip 1 using 1:(\$2 == 4 && \$3 == 0.3 ? \$4 : NaN):5 with yerrorbars pointtype 5 title '4, rolling 0.3'
G
