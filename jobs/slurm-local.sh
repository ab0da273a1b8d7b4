#!/usr/bin/env bash
# Runs a local Slurm, to try the job files: controller, key service and a few nodes.
#
#   bash jobs/slurm-local.sh up             installs missing packages, starts daemons that do not run
#   eval "$(bash jobs/slurm-local.sh env)"  then sbatch, squeue, scancel, srun work in this shell
#   bash jobs/slurm-local.sh status
#   bash jobs/slurm-local.sh down [purge]   purge: removes its folder as well
#
# All daemons run on this machine, as root, on Debian or Ubuntu, on the loopback device only.
# Nothing outlives `down purge`.
#
# SLURM_LOCAL_ROOT (/tmp/moreau-slurm), SLURM_LOCAL_NODES (2), SLURM_LOCAL_CPUS per node (4; may
# exceed the cores of the machine), SLURM_LOCAL_PORT (27817 and one more port for each node).
set -euo pipefail

root=${SLURM_LOCAL_ROOT:-/tmp/moreau-slurm}
nodes=${SLURM_LOCAL_NODES:-2}
cpus=${SLURM_LOCAL_CPUS:-4}
port=${SLURM_LOCAL_PORT:-27817}
export SLURM_CONF=$root/etc/slurm.conf
PATH=$PATH:/usr/sbin:/sbin

# Whether the process whose number is in file $1 lives; a process that waits for its parent does
# not.
lives() {
    local id
    id=$(cat "$1" 2>/dev/null) && [ -n "$id" ] && grep -qE '^State:[[:space:]]+[^ZX]' "/proc/$id/status" 2>/dev/null
}

install_slurm() {
    local program missing=
    for program in munged slurmctld slurmd sbatch; do
        command -v $program >/dev/null || missing=1
    done
    [ -n "$missing" ] || return 0
    # Packages must not start services of their own.
    local policy=/usr/sbin/policy-rc.d made=
    if [ ! -e $policy ]; then
        printf '#!/bin/sh\nexit 101\n' >$policy
        chmod +x $policy
        made=1
    fi
    local installed=yes
    DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -qq install -y --no-install-recommends \
        munge slurmctld slurmd slurm-client slurm-wlm-basic-plugins >"$root/log/install.log" 2>&1 </dev/null || installed=
    [ -z "$made" ] || rm -f $policy
    [ -n "$installed" ] || {
        tail -n 5 "$root/log/install.log" >&2
        echo "slurm-local: could not install Slurm (as root: apt-get update, then again)" >&2
        return 1
    }
}

configure() {
    local node memory
    memory=$(awk '/^MemTotal/ { print int($2 * 0.8 / 1024) }' /proc/meminfo)
    [ -s "$root/etc/key" ] || (umask 077 && head -c 1024 /dev/urandom >"$root/etc/key")
    {
        echo "127.0.0.1 localhost $(hostname) $(seq -s ' ' -f 'node%g' "$nodes")"
        grep -vE '^(127\.|#)' /etc/hosts || true
    } >"$root/etc/hosts"
    cat >"$SLURM_CONF" <<END
ClusterName=local
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=$port
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$root/run/munge.socket
CredType=cred/munge
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
StateSaveLocation=$root/state
SlurmctldPidFile=$root/run/slurmctld.pid
SlurmdPidFile=$root/run/slurmd-%n.pid
SlurmdSpoolDir=$root/spool-%n
SlurmctldLogFile=$root/log/slurmctld.log
SlurmdLogFile=$root/log/slurmd-%n.log
# No control groups: a container may have none.
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=bf_interval=5,sched_interval=5,batch_sched_delay=1
MpiDefault=pmix
ReturnToService=2
SlurmctldTimeout=30
SlurmdTimeout=60
SlurmdParameters=config_overrides
KillWait=15
MinJobAge=3600
InactiveLimit=0
JobRequeue=1
PropagateResourceLimits=NONE
TmpFS=$root/tmp-%n
END
    for node in $(seq "$nodes"); do
        echo "NodeName=node$node NodeHostname=node$node NodeAddr=127.0.0.1 Port=$((port + node)) CPUs=$cpus Boards=1" \
            "SocketsPerBoard=1 CoresPerSocket=$cpus ThreadsPerCore=1 RealMemory=$((memory / nodes)) State=UNKNOWN"
    done >>"$SLURM_CONF"
    echo "PartitionName=local Nodes=node[1-$nodes] Default=YES MaxTime=INFINITE DefaultTime=10 State=UP" >>"$SLURM_CONF"
}

# Starts a daemon under a host name of its own, so that MPI takes the nodes for different machines.
# Without the permission it starts the daemon as it is.
as_host() {
    local host=$1
    shift
    if unshare --uts --mount true 2>/dev/null; then
        # shellcheck disable=SC2016 # expanded by the inner shell
        unshare --uts --mount sh -c 'hostname "$1" && mount --bind "$2" /etc/hosts && shift 2 && exec "$@"' sh "$host" "$root/etc/hosts" "$@"
    else
        "$@"
    fi
}

up() {
    mkdir -p "$root"/{etc,log,run,state}
    install_slurm
    if ! lives "$root/run/slurmctld.pid"; then
        configure
    fi
    # The key service wants folders that nobody else writes to.
    chmod 755 "$root" "$root"/{etc,log,run,state}
    if ! lives "$root/run/munged.pid"; then
        rm -f "$root"/run/munge.socket*
        munged --force --key-file="$root/etc/key" --socket="$root/run/munge.socket" --pid-file="$root/run/munged.pid" \
            --log-file="$root/log/munged.log" --seed-file="$root/run/munged.seed" --num-threads=2
    fi
    lives "$root/run/slurmctld.pid" || as_host localhost slurmctld -f "$SLURM_CONF"
    local node
    for node in $(seq -f 'node%g' "$nodes"); do
        lives "$root/run/slurmd-$node.pid" && continue
        mkdir -p "$root/spool-$node" "$root/tmp-$node"
        as_host "$node" slurmd -f "$SLURM_CONF" -N "$node"
    done
    local tries
    for tries in $(seq 60); do
        [ "$(sinfo -h -N -t idle,mix,alloc -o %N 2>/dev/null | sort -u | wc -l)" = "$nodes" ] && break
        for node in $(sinfo -h -N -t down,drain -o %N 2>/dev/null); do
            scontrol update nodename="$node" state=resume >/dev/null 2>&1 || true
        done
        sleep 0.5
    done
    [ "$tries" -lt 60 ] || echo "slurm-local: not all nodes are up; look into $root/log" >&2
    status
}

down() {
    local file tries
    command -v scancel >/dev/null && timeout 5 scancel -u "$(id -un)" 2>/dev/null && sleep 1
    for file in "$root"/run/slurmd-*.pid "$root/run/slurmctld.pid" "$root/run/munged.pid"; do
        lives "$file" && kill "$(cat "$file")"
    done
    for tries in $(seq 40); do
        local some=
        for file in "$root"/run/*.pid; do
            lives "$file" && some=$tries
        done
        [ -n "$some" ] || break
        sleep 0.5
    done
    [ "${1:-}" != purge ] || rm -rf "$root"
    echo "slurm-local: down"
}

status() {
    local name
    for name in munged slurmctld $(seq -f 'slurmd-node%g' "$nodes"); do
        lives "$root/run/$name.pid" || {
            echo "slurm-local: $name does not run; bash jobs/slurm-local.sh up starts it" >&2
            return 1
        }
    done
    sinfo -N -o '%N %t %c %m'
    squeue -o '%i %j %t %M %R'
}

case ${1:-} in
up) up ;;
down) down "${2:-}" || true ;;
status) status ;;
env)
    cat <<END
export SLURM_CONF=$root/etc/slurm.conf OMPI_MCA_btl_tcp_if_include=lo OMPI_MCA_oob_tcp_if_include=lo
END
    ;;
-h | --help)
    sed -n '2,/^set /{s/^# \{0,1\}//;/^set /d;p;}' "$0"
    ;;
*)
    sed -n '2,/^set /{s/^# \{0,1\}//;/^set /d;p;}' "$0" >&2
    exit 2
    ;;
esac
