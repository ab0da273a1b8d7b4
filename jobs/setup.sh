#!/usr/bin/env bash
# Prepares this machine to build and run moreau: installs missing packages only.
#
#   bash jobs/setup.sh             for the default build (MPI, parallel HDF5)
#   bash jobs/setup.sh --bundled   for the build without MPI (a C compiler and cmake)
#   bash jobs/setup.sh --tools     h5dump and h5diff as well, to inspect checkpoints
#   bash jobs/setup.sh --check     only lists present and missing packages; status 1 if one is missing
#
# Any installed version counts: on a cluster load the modules first, and the script installs
# nothing. With apt (Debian, Ubuntu), as root or by sudo, it installs the missing packages;
# elsewhere it prints their names. It asks no questions; a second run finds everything and takes no
# time.
set -euo pipefail
self=$(realpath "$0")
cd "$(dirname "$self")/.."

RUST_NEEDED=1.89

# check | Debian package | purpose
NEEDS_DEFAULT='
compiler | build-essential      | C compiler, linker and C headers: link the program, compile the C parts of the MPI binding
pkgconfig | pkg-config          | tells the build where HDF5 is
libclang | libclang-dev         | bindgen reads mpi.h with it to declare the MPI functions to Rust
mpicc    | libopenmpi-dev       | Open MPI to compile and link against: ranks are MPI processes
mpirun   | openmpi-bin          | mpirun, which starts the ranks
hdf5     | libhdf5-openmpi-dev  | HDF5 built with MPI-IO: all ranks write one checkpoint together
'
NEEDS_BUNDLED='
compiler | build-essential      | C compiler, make, linker and C headers: link the program, compile HDF5
cmake    | cmake                | configures the HDF5 that is compiled in
'
NEEDS_TOOLS='
h5dump   | hdf5-tools           | h5dump and h5diff: look into checkpoints
'

only_check=false
needs=$NEEDS_DEFAULT
tools=
for argument in "$@"; do
    case $argument in
    --check) only_check=true ;;
    --bundled) needs=$NEEDS_BUNDLED ;;
    --tools) tools=$NEEDS_TOOLS ;;
    -h | --help)
        sed -n '2,/^set /{s/^# \{0,1\}//;/^set /d;p;}' "$self"
        exit 0
        ;;
    *)
        echo "setup: unknown argument $argument (known: --check --bundled --tools)" >&2
        exit 2
        ;;
    esac
done
needs=$needs$tools

[ -f "$HOME/.cargo/env" ] && PATH=$PATH:$HOME/.cargo/bin
# shellcheck source=jobs/mpi-env.sh
. jobs/mpi-env.sh

# Each find_* prints the version or place and succeeds, or prints the fault and fails.

find_rust() {
    local version
    if ! command -v cargo >/dev/null || ! version=$(rustc --version 2>/dev/null); then
        echo "no cargo and rustc in PATH or ~/.cargo/bin"
        return 1
    fi
    version=${version#rustc }
    echo "rustc ${version%% *}"
    [ "$(printf '%s\n' "$RUST_NEEDED" "${version%%[- ]*}" | sort -V | head -n 1)" = "$RUST_NEEDED" ]
}

find_compiler() {
    local cc=${CC:-cc}
    command -v "$cc" >/dev/null || { echo "no C compiler ($cc)"; return 1; }
    if ! printf '#include <stdlib.h>\nint main(void) { return EXIT_SUCCESS; }\n' |
        "$cc" -x c - -o /dev/null 2>/dev/null; then
        echo "$cc cannot compile and link a program"
        return 1
    fi
    command -v make >/dev/null || { echo "no make"; return 1; }
    command -v "$cc"
}

find_pkgconfig() {
    if command -v "${PKG_CONFIG:-pkg-config}"; then return; fi
    # Skipped when the place of HDF5 is given.
    [ -n "${HDF5_DIR:-}" ] && { echo "not there, not needed: HDF5_DIR is set"; return; }
    echo "no pkg-config"
    return 1
}

# The folders that bindgen searches, and the C headers that belong to the library (stddef.h).
find_libclang() {
    local dir file headers prefix
    if [ -n "${LIBCLANG_PATH:-}" ]; then
        set -- "$LIBCLANG_PATH" "$(dirname "$LIBCLANG_PATH")"
    else
        prefix=$("${LLVM_CONFIG_PATH:-llvm-config}" --prefix 2>/dev/null || true)
        set -- ${prefix:+"$prefix/lib" "$prefix/lib64"}
        local IFS=:
        # shellcheck disable=SC2086 # split at colons
        set -- "$@" ${LD_LIBRARY_PATH:-} ${LIBRARY_PATH:-}
        unset IFS
        set -- "$@" /usr/local/llvm*/lib* /usr/local/lib* /usr/lib/llvm-*/lib /usr/lib/*-linux-gnu /usr/lib64 /usr/lib \
            /usr/lib64/llvm*/lib* /Library/Developer/CommandLineTools/usr/lib
    fi
    for dir in "$@"; do
        for file in "$dir"/libclang.so* "$dir"/libclang-[0-9]*.so* "$dir"/libclang.dylib; do
            [ -e "$file" ] || continue
            for headers in "$dir"/clang/*/include/stddef.h "$dir"/../lib*/clang/*/include/stddef.h \
                /usr/lib/llvm-*/lib/clang/*/include/stddef.h /usr/lib*/clang/*/include/stddef.h; do
                if [ -e "$headers" ]; then
                    echo "$file"
                    return
                fi
            done
            echo "$file is there, its C headers (clang/*/include/stddef.h) are not"
            return 1
        done
    done
    echo "no libclang (LIBCLANG_PATH may name its folder)"
    return 1
}

find_mpicc() {
    local mpicc=${MPICC:-mpicc} version
    if [ -n "${MPI_PKG_CONFIG:-}${CRAY_MPICH_DIR:-}" ]; then
        echo "by ${MPI_PKG_CONFIG:+MPI_PKG_CONFIG}${CRAY_MPICH_DIR:+CRAY_MPICH_DIR}"
        return
    fi
    command -v "$mpicc" >/dev/null || { echo "no $mpicc"; return 1; }
    if ! printf '#include <mpi.h>\n' | "$mpicc" -E -x c - >/dev/null 2>&1; then
        echo "$mpicc does not find mpi.h"
        return 1
    fi
    version=$(printf '#include <mpi.h>\nmpi=MPI_VERSION.MPI_SUBVERSION\n' | "$mpicc" -E -x c - 2>/dev/null | grep '^mpi=')
    echo "$(command -v "$mpicc") (MPI ${version#mpi=})" | tr -d ' ' | sed 's/(MPI/ (MPI /'
}

find_mpirun() {
    command -v mpirun || command -v mpiexec || command -v srun || { echo "no mpirun"; return 1; }
}

find_hdf5() {
    local dir version
    dir=$(hdf5_include_dir)
    [ -n "$dir" ] || { echo "no HDF5 (HDF5_DIR may name the folder that holds its include and lib)"; return 1; }
    version=$(grep -hs '^#define H5_VERSION ' "$dir"/H5pubconf.h "$dir"/H5pubconf-64.h || true)
    version=${version#*\"}
    echo "HDF5 ${version%%\"*}, $dir$(hdf5_is_parallel "$dir" || echo ': without MPI-IO')${HDF5_DIR:+, HDF5_DIR=$HDF5_DIR}"
    hdf5_is_parallel "$dir"
}

find_cmake() {
    command -v "${CMAKE:-cmake}" || { echo "no cmake"; return 1; }
}

find_h5dump() {
    command -v h5dump || { echo "no h5dump"; return 1; }
}

rust_missing=false
missing=
# Runs all checks, prints the table, leaves the Debian names of missing packages in $missing.
look() {
    local check package why found state
    missing=
    state=ok
    found=$(find_rust) || { state=MISSING && rust_missing=true; }
    printf '%-8s %-20s %s\n' "$state" "Rust >= $RUST_NEEDED" "$found"
    while IFS='|' read -r check package why; do
        check=${check// /}
        package=${package// /}
        [ -n "$check" ] || continue
        state=ok
        found=$("find_$check") || { state=MISSING && missing="$missing $package"; }
        printf '%-8s %-20s %s\n' "$state" "$package" "$found"
        if [ $state = MISSING ]; then
            printf '%-8s %-20s   for:%s\n' '' '' "$why"
        fi
    done <<<"$needs"
}

tell_about_rust() {
    cat >&2 <<END
setup: Rust $RUST_NEEDED or newer is needed. Install it for yourself with rustup, see https://rustup.rs
    (or 'rustup update stable' if you have rustup; on a cluster often 'module load rust'), then run this again.
END
}

tell_by_hand() {
    cat >&2 <<'END'
setup: there is no apt here, so nothing was installed. What to install by hand:

  Fedora, RHEL   dnf install gcc make pkgconf-pkg-config clang-devel openmpi-devel hdf5-openmpi-devel
                 (RHEL: with EPEL and CRB), then: module load mpi/openmpi-x86_64
  Arch           pacman -S base-devel pkgconf clang openmpi hdf5-openmpi
  macOS          xcode-select --install; brew install pkgconf llvm open-mpi hdf5-mpi, then:
                 export HDF5_DIR="$(brew --prefix hdf5-mpi)" LIBCLANG_PATH="$(brew --prefix llvm)/lib"
  a cluster      module load of a compiler, an MPI, an HDF5 built with that MPI, and LLVM; the names differ, look with
                 'module avail': gcc openmpi hdf5 (or phdf5, hdf5-parallel, hdf5/...-openmpi, cray-hdf5-parallel)
                 llvm (or clang). With Spack: spack load openmpi hdf5+mpi llvm
  without MPI    only a C compiler, make and cmake: bash jobs/setup.sh --bundled, then
                 cargo build --release --no-default-features --features bundled

What is not found although it is there can be named: MPICC, HDF5_DIR (holds include and lib), LIBCLANG_PATH.
END
}

# Runs apt-get as root without questions.
apt_get() {
    set -- env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -qq "$@"
    if [ "$(id -u)" != 0 ]; then
        set -- sudo -n "$@"
    fi
    "$@" </dev/null
}

install_missing() {
    if [ "$(id -u)" != 0 ] && ! sudo -n true 2>/dev/null; then
        cat >&2 <<END
setup: installing needs root, and there is no sudo that works without a password. Run this, then this script again:
    sudo apt-get update && sudo apt-get install -y --no-install-recommends$missing
END
        exit 1
    fi
    # MPI and HDF5 belong together: a machine with MPICH gets the HDF5 for it.
    case $(mpicc -show 2>/dev/null || true) in
    *mpich*) missing=${missing/libhdf5-openmpi-dev/libhdf5-mpich-dev} ;;
    esac
    echo "setup: installing$missing"
    apt_get update || echo "setup: apt-get update failed, trying with the lists there are" >&2
    # shellcheck disable=SC2086 # a list of names
    apt_get install -y --no-install-recommends $missing
    hash -r
}

look
if [ -n "$missing" ] && ! $only_check; then
    if ! command -v apt-get >/dev/null; then
        tell_by_hand
        exit 1
    fi
    install_missing
    echo "setup: now there is"
    look
    if [ -n "$missing" ]; then
        echo "setup: installed, and yet not found:$missing. The lines marked MISSING say what was looked for." >&2
        exit 1
    fi
fi
if $rust_missing; then
    tell_about_rust
fi
if $rust_missing || [ -n "$missing" ]; then
    exit 1
fi
echo "setup: all there"
