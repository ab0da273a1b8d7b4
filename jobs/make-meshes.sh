#!/usr/bin/env bash
# Makes the meshes of the shipped configurations, in millimetres.
#
#   bash jobs/make-meshes.sh [FOLDER]
#
# Writes hopper.stl, rotor.stl and mill.stl into FOLDER (configs by default): the same bytes every
# time.
set -euo pipefail
case ${1:-} in
-h | --help)
    sed -n '2,/^set /{s/^# \{0,1\}//;/^set /d;p;}' "$0"
    exit 0
    ;;
esac
folder=${1:-$(dirname "$(realpath "$0")")/../configs}

# A hopper: a cylinder on a cone, open above and below, of 72 facets.
awk -v sides=72 '
function corner(r, z, k) { a = 2 * pi * (k % sides) / sides; return sprintf("%.6f %.6f %.6f", r * cos(a), r * sin(a), z) }
function facet(p, q, s) { print " facet normal 0 0 0\n  outer loop\n   vertex " p "\n   vertex " q "\n   vertex " s "\n  endloop\n endfacet" }
function around(r0, z0, r1, z1, k) {
    for (k = 0; k < sides; k++) {
        facet(corner(r0, z0, k), corner(r1, z1, k), corner(r1, z1, k + 1))
        facet(corner(r0, z0, k), corner(r1, z1, k + 1), corner(r0, z0, k + 1))
    }
}
BEGIN {
    pi = atan2(0, -1)
    print "solid hopper"
    around(30, 0, 75, 60)
    around(75, 60, 75, 225)
    print "endsolid hopper"
}' >"$folder/hopper.stl"

# A rotor about y: a shaft of 24 facets with flat ends, and four paddles at right angles to each
# other, turned by 30 degrees about their arms. Each is a solid of the file.
awk -v sides=24 '
function point(x, y, z) { points[++n] = sprintf("%.6f %.6f %.6f", x, y, z) }
# A polygon of points, counter-clockwise as seen from outside, as a fan of triangles.
function polygon(list, corners, count, k) {
    count = split(list, corners, " ")
    for (k = 2; k < count; k++)
        print " facet normal 0 0 0\n  outer loop\n   vertex " points[corners[1]] "\n   vertex " points[corners[k]] \
            "\n   vertex " points[corners[k + 1]] "\n  endloop\n endfacet"
}
function shaft(k, l, end, one, other) {
    n = 0
    for (end = -1; end <= 1; end += 2)
        for (k = 0; k < sides; k++) point(12 * cos(2 * pi * k / sides), 90 * end, 12 * sin(2 * pi * k / sides))
    for (k = 1; k <= sides; k++) {
        l = k % sides + 1
        polygon(k " " k + sides " " l + sides " " l)
        one = one " " k
        other = k + sides " " other
    }
    polygon(one)
    polygon(other)
}
function paddle(y, turn, k, u, v, w, c, s, a, b, faces) {
    n = 0
    c = cos(pi / 6); s = sin(pi / 6)
    for (k = 0; k < 8; k++) {
        # Along the arm, along the width, through the thickness.
        u = int(k / 4) ? 68 : 8; v = int(k / 2) % 2 ? 15 : -15; w = k % 2 ? 2 : -2
        a = v * c - w * s; b = v * s + w * c
        point(u * cos(turn) + b * sin(turn), y + a, -u * sin(turn) + b * cos(turn))
    }
    split("1 2 4 3,5 7 8 6,1 5 6 2,3 4 8 7,1 3 7 5,2 6 8 4", faces, ",")
    for (k = 1; k <= 6; k++) polygon(faces[k])
}
BEGIN {
    pi = atan2(0, -1)
    print "solid shaft"
    shaft()
    print "endsolid shaft"
    for (p = 0; p < 4; p++) {
        print "solid paddle-" p + 1
        paddle(-60 + 40 * p, p * pi / 2)
        print "endsolid paddle-" p + 1
    }
}' >"$folder/rotor.stl"

# A mill about y: a drum of 48 facets with flat ends, and six bars along it that lift its charge.
# Each is a solid of the file.
awk -v sides=48 -v bars=6 '
function corner(r, y, k) { a = 2 * pi * (k % sides) / sides; return sprintf("%.6f %.6f %.6f", r * cos(a), y, r * sin(a)) }
function facet(p, q, s) { print " facet normal 0 0 0\n  outer loop\n   vertex " p "\n   vertex " q "\n   vertex " s "\n  endloop\n endfacet" }
function drum(r, y, k) {
    for (k = 0; k < sides; k++) {
        facet(corner(r, -y, k), corner(r, y, k), corner(r, y, k + 1))
        facet(corner(r, -y, k), corner(r, y, k + 1), corner(r, -y, k + 1))
        facet(sprintf("0 %.6f 0", -y), corner(r, -y, k), corner(r, -y, k + 1))
        facet(sprintf("0 %.6f 0", y), corner(r, y, k + 1), corner(r, y, k))
    }
}
# A bar from radius r0 to r1, of a width, at an angle, as the drum is long.
function bar(r0, r1, width, y, angle, k, u, v, w, list, faces) {
    for (k = 0; k < 8; k++) {
        u = int(k / 4) ? r1 : r0; v = (int(k / 2) % 2 ? 1 : -1) * width / 2; w = k % 2 ? y : -y
        list[k + 1] = sprintf("%.6f %.6f %.6f", u * cos(angle) - v * sin(angle), w, u * sin(angle) + v * cos(angle))
    }
    split("1 3 4 2,5 6 8 7,1 2 6 5,3 7 8 4,1 5 7 3,2 4 8 6", faces, ",")
    for (k = 1; k <= 6; k++) {
        split(faces[k], v4, " ")
        facet(list[v4[1]], list[v4[2]], list[v4[3]])
        facet(list[v4[1]], list[v4[3]], list[v4[4]])
    }
}
BEGIN {
    pi = atan2(0, -1)
    print "solid drum"
    drum(60, 30)
    print "endsolid drum"
    for (b = 0; b < bars; b++) {
        print "solid bar-" b + 1
        bar(54, 61, 6, 30, 2 * pi * b / bars)
        print "endsolid bar-" b + 1
    }
}' >"$folder/mill.stl"
