# shellcheck shell=bash
# Source this before mpirun or cargo: `. jobs/mpi-env.sh`. It changes no variable that is set
# already.
#
# - Open MPI, for a laptop or a container: more ranks than cores, as root, without noise. On a
#   cluster (inside a Slurm job) ranks have cores of their own, so placing and waiting are left to
#   the system.
# - HDF5 without locks of its own, which some file systems lack. A file gets its name when it is
#   complete, and a run locks its folder.
# - HDF5_DIR, where a parallel HDF5 is only known by its compiler wrapper h5pcc (usual with modules
#   on clusters).

# Sets and exports NAME to VALUE unless it is set, even to nothing.
default_env() {
    if [ -z "${!1+set}" ]; then
        export "$1=$2"
    fi
}

default_env HDF5_USE_FILE_LOCKING FALSE

if [ "$(id -u)" = 0 ]; then
    # Open MPI refuses to run as root unless both are set.
    default_env OMPI_ALLOW_RUN_AS_ROOT 1
    default_env OMPI_ALLOW_RUN_AS_ROOT_CONFIRM 1
fi

if [ -z "${SLURM_JOB_ID:-}" ]; then
    # The time of mpirun's ranks to write a checkpoint [s]. On SIGTERM or Ctrl-C mpirun waits as
    # long, sends SIGTERM to the ranks, waits as long again, and kills them. SIGUSR1, which the job
    # files send, is passed on at once, and no rank is killed.
    default_env OMPI_MCA_odls_base_sigkill_timeout 5
    # More ranks than cores; the second spelling is that of Open MPI 5.
    default_env OMPI_MCA_rmaps_base_oversubscribe 1
    default_env PRTE_MCA_rmaps_default_mapping_policy :oversubscribe
    # Not bound: two jobs at the same time, each bound from core 0 on, would share cores while
    # others idle.
    default_env OMPI_MCA_hwloc_base_binding_policy none
    default_env PRTE_MCA_hwloc_default_binding_policy none
    # A waiting rank gives up its core: otherwise a reduction on 4 ranks and 2 cores takes
    # milliseconds.
    default_env OMPI_MCA_mpi_yield_when_idle 1
    # Messages of up to this number of bytes travel while blocks are swept. Longer ones wait until
    # both ends wait for them.
    default_env OMPI_MCA_btl_vader_eager_limit 131072
    # Containers forbid one process to read another's memory.
    default_env OMPI_MCA_btl_vader_single_copy_mechanism none
fi

# The folder that holds H5pubconf.h of the HDF5 that the build will find, or nothing.
hdf5_include_dir() {
    local flag dir
    if [ -n "${HDF5_DIR:-}" ]; then
        set -- "$HDF5_DIR/include"
    else
        # Debian gives -I/usr/include/hdf5/openmpi; folders that the compiler searches anyway are
        # not printed.
        set --
        for flag in $(PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 pkg-config --cflags-only-I hdf5 2>/dev/null); do
            set -- "$@" "${flag#-I}"
        done
        if [ "$(uname -s)" = Darwin ]; then
            set -- "$@" "$(brew --prefix hdf5 2>/dev/null)/include"
        fi
        set -- "$@" /usr/include/hdf5/serial /usr/include
    fi
    for dir in "$@"; do
        if [ -e "$dir/H5pubconf.h" ] || [ -e "$dir/H5pubconf-64.h" ]; then
            echo "$dir"
            return
        fi
    done
}

# Whether the HDF5 whose headers are in folder $1 was built with MPI-IO.
hdf5_is_parallel() {
    [ -n "$1" ] && grep -qsE '^#define[[:space:]]+H5_HAVE_PARALLEL[[:space:]]+1' "$1"/H5pubconf.h "$1"/H5pubconf-64.h
}

if [ -z "${HDF5_DIR+set}" ] && ! hdf5_is_parallel "$(hdf5_include_dir)"; then
    if h5pcc=$(command -v h5pcc); then
        prefix=$(cd "$(dirname "$h5pcc")/.." && pwd)
        if hdf5_is_parallel "$prefix/include"; then
            export HDF5_DIR="$prefix"
        fi
        unset prefix
    fi
    unset h5pcc
fi
