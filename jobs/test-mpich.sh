#!/usr/bin/env bash
# Builds and tests ranks, restarts and signals with MPICH, in target/mpich.
#
#   bash jobs/test-mpich.sh [ARGUMENT...]        arguments go to cargo test, in place of the tests named below
#
# Installs MPICH and its HDF5 where they are missing (Debian, as root), in addition to Open MPI;
# `mpicc` and `mpirun` stay those of Open MPI.
set -euo pipefail
case ${1-} in
-h | --help)
    sed -n '2,/^set /{s/^# \{0,1\}//;/^set /d;p;}' "$0"
    exit 0
    ;;
esac
cd "$(dirname "$0")/.."
command -v cargo >/dev/null || PATH=$PATH:$HOME/.cargo/bin
bash jobs/setup.sh

folder=$(dpkg-architecture -qDEB_HOST_MULTIARCH 2>/dev/null || gcc -print-multiarch)
if ! command -v mpicc.mpich >/dev/null || [ ! -e "/usr/lib/$folder/hdf5/mpich/libhdf5.so" ]; then
    DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -qq install -y --no-install-recommends \
        mpich libmpich-dev libhdf5-mpich-dev </dev/null
fi
# Wrappers under the names that builds and tests look for. Links would not do: mpirun looks for its
# helpers in its own folder.
shim=$PWD/target/mpich/shim
mkdir -p "$shim/bin" "$shim/hdf5"
for name in mpicc mpirun mpiexec; do
    rm -f "$shim/bin/$name"
    printf '#!/bin/sh\nexec %s "$@"\n' "$(command -v $name.mpich)" >"$shim/bin/$name"
    chmod +x "$shim/bin/$name"
done
ln -sfn /usr/include/hdf5/mpich "$shim/hdf5/include"
ln -sfn "/usr/lib/$folder/hdf5/mpich" "$shim/hdf5/lib"
export PATH=$shim/bin:$PATH MPICC=$shim/bin/mpicc HDF5_DIR=$shim/hdf5 CARGO_TARGET_DIR=$PWD/target/mpich MOREAU_REQUIRE_MPI=1
# MPICH waits by spinning. Where ranks share cores each message costs slices of the scheduler: 300
# steps of 4 ranks on 2 cores take over four minutes.
export MOREAU_MOST_RANKS=${MOREAU_MOST_RANKS:-$(($(nproc) + 1))}
mpirun --version | head -n 1

[ $# -gt 0 ] || set -- --test mpi_comm --test program --test checkpoint --test balance --test signals --test faults
cargo test --locked "$@" -- --test-threads=1 </dev/null
"$CARGO_TARGET_DIR/debug/moreau" run configs/settle.toml --out "$shim/out" --overwrite --steps 1 --set bodies.0.count=1 >/dev/null 2>&1
grep '^mpi\|^hdf5' "$shim/out/provenance.toml"
