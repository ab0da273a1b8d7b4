# shellcheck shell=bash
# Functions for other scripts to source: LIGGGHTS, and its soft spheres to compare with.

# Installs LIGGGHTS where it is missing. $1: the name of the script, for messages.
need_liggghts() {
    if command -v liggghts >/dev/null; then
        return
    fi
    if ! command -v apt-get >/dev/null; then
        echo "$1: LIGGGHTS is missing; on Debian it is the package liggghts" >&2
        exit 1
    fi
    local as_root=()
    [ "$(id -u)" = 0 ] || as_root=(sudo)
    "${as_root[@]}" apt-get install -y --no-install-recommends liggghts >/dev/null
}

# The head of an input: spheres of a data file under gravity, friction 0.5, with the softest
# stiffness (5e6 Pa) and steps of 5e-5 s. $1: the data file.
soft_spheres() {
    cat <<EOF
units si
atom_style granular
atom_modify map array
boundary f f f
newton off
communicate single vel yes
read_data $1
neighbor 0.001 bin
neigh_modify delay 0
fix m1 all property/global youngsModulus peratomtype 5.e6
fix m2 all property/global poissonsRatio peratomtype 0.45
fix m3 all property/global coefficientRestitution peratomtypepair 1 0.051
fix m4 all property/global coefficientFriction peratomtypepair 1 0.5
pair_style gran model hertz tangential history
pair_coeff * *
timestep 0.00005
fix down all gravity 9.81 vector 0.0 0.0 -1.0
EOF
}
