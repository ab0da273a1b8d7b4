# shellcheck shell=bash
# Siconos' solvers for scripts that compare with them. To be sourced. Uses Debian's package, and a
# program that calls it.

# Whether Siconos' headers are installed, and if not, whether they can be fetched.
siconos_is_there() {
    [ ! -e /usr/include/siconos/numerics/NonSmoothDrivers.h ] || return 0
    local as_root=()
    [ "$(id -u)" = 0 ] || as_root=(sudo -n)
    if ! command -v apt-get >/dev/null || ! "${as_root[@]}" apt-get install -y --no-install-recommends libsiconos-numerics-dev >/dev/null; then
        echo "Siconos is missing; on Debian it is the package libsiconos-numerics-dev" >&2
        return 1
    fi
}

# Builds the program of jobs/compare-fclib.c.
siconos_driver() {
    # shellcheck disable=SC2046 # flags are several words
    cc -O2 jobs/compare-fclib.c -o "$1" -I/usr/include/siconos -I/usr/include/siconos/numerics \
        $(pkg-config --cflags hdf5) -lsiconos_numerics $(pkg-config --libs hdf5) -lm
}
