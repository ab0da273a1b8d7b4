#!/usr/bin/env bash
# Tests a run over two hosts: two network namespaces of this machine.
#
#   bash jobs/test-hosts.sh
#
# Each namespace has a name, an address and a loopback of its own; they communicate by TCP only. The
# script tests for the same state as on one host, for a restart with another distribution of the
# ranks over the hosts, and for the loss of a host. Needs root and `ip` (Debian: iproute2) for the
# namespaces, and Open MPI 4; without them it ends with a message.
set -euo pipefail
self=$(realpath "$0")
cd "$(dirname "$self")/.."
case ${1:-} in
"") ;;
-h | --help)
    sed -n '2,/^set /{s/^# \{0,1\}//;/^set /d;p;}' "$self"
    exit 0
    ;;
*)
    echo "test-hosts: unknown argument $1" >&2
    exit 2
    ;;
esac
. jobs/mpi-env.sh
command -v cargo >/dev/null || PATH=$PATH:$HOME/.cargo/bin

not_run() { echo "test-hosts: NOT RUN: $1" && exit 0; }
[ "$(id -u)" = 0 ] || not_run "only root makes hosts of namespaces"
command -v ip >/dev/null || not_run "ip is missing"
mpirun --version | grep -q "Open MPI) 4" || not_run "mpirun is not that of Open MPI 4"
cargo build --release --locked
moreau=$(realpath "${CARGO_TARGET_DIR:-target}")/release/moreau

one=moreau-a two=moreau-b net=10.213.7
work=$(mktemp -d)
finish() {
    local status=$? host
    for host in $one $two; do
        ip netns pids "$host" 2>/dev/null | xargs -r kill -9 2>/dev/null || true
        ip netns del "$host" 2>/dev/null || true
    done
    if [ $status = 0 ]; then rm -rf "$work"; else echo "test-hosts: FAILED; see $work" >&2; fi
}
trap finish EXIT

ip netns add $one 2>/dev/null || not_run "no namespace can be made here"
ip netns add $two
ip link add moreau-va netns $one type veth peer name moreau-vb netns $two
ip -n $one addr add $net.1/24 dev moreau-va
ip -n $two addr add $net.2/24 dev moreau-vb
for host in $one $two; do ip -n "$host" link set lo up; done
ip -n $one link set moreau-va up
ip -n $two link set moreau-vb up
printf '127.0.0.1 localhost\n%s.1 %s\n%s.2 %s\n' $net $one $net $two >"$work/names"
printf '%s slots=4\n%s slots=4\n' $one $two >"$work/hosts"

# Enters a host, with its name and the names of both, and runs a command line there. In place of
# ssh: HOST COMMAND..., after options.
cat >"$work/enter" <<END
#!/usr/bin/env bash
while [ "\${1#-}" != "\$1" ]; do shift; done
host=\$1
shift
exec ip netns exec "\$host" unshare --uts --mount bash -c 'hostname "\$1"; mount --bind "$work/names" /etc/hosts; eval "exec \$2"' - "\$host" "\$*"
END
chmod +x "$work/enter"

# RANKS ARGUMENT...: runs moreau on both hosts, started from the first.
over_hosts() {
    local ranks=$1
    shift
    "$work/enter" $one "mpirun -n $ranks --hostfile $work/hosts --map-by node --mca plm rsh --mca plm_rsh_agent $work/enter \
        --mca pml ob1 --mca btl self,tcp --mca btl_tcp_if_include $net.0/24 --mca oob_tcp_if_include $net.0/24 $(printf '%q ' "$@")"
}
same() { [ "$2" = "$straight" ] || { echo "test-hosts: $1: $2, not $straight" >&2 && exit 1; } && echo "ok   $1: $2"; }

names=$(over_hosts 2 hostname | sort | xargs)
[ "$names" = "$one $two" ] || { echo "test-hosts: ranks ran on: $names" >&2 && exit 1; }

small=(--set bodies.0.count=2000 --set "domain.upper=[0.15, 0.15, 0.30]" --set time.rest=0 --set checkpoint.every=100 --threads 1)
straight=$("$moreau" run configs/settle.toml --out "$work/straight" "${small[@]}" --steps 400 2>/dev/null | tail -n 1)
for ranks in 2 3 4; do
    state=$(over_hosts $ranks "$moreau" run configs/settle.toml --out "$work/over-$ranks" "${small[@]}" --steps 400 2>/dev/null | tail -n 1)
    same "$ranks ranks on two hosts" "$state"
done

over_hosts 4 "$moreau" run configs/settle.toml --out "$work/parts" "${small[@]}" --steps 170 >/dev/null 2>&1
state=$(over_hosts 3 "$moreau" resume "$work/parts" --steps 400 2>/dev/null | tail -n 1)
same "4 ranks on two hosts to step 170, then 3" "$state"

# Kills the ranks and the daemon of a host, as a loss of power does.
over_hosts 4 "$moreau" run configs/settle.toml --out "$work/lost" "${small[@]}" --steps 400 >"$work/log" 2>&1 &
until [ -e "$work/lost/checkpoint-00000200.h5" ]; do sleep 0.05; done
ip netns pids $two | xargs -r kill -9
status=0 && wait $! || status=$?
[ $status != 0 ] || { echo "test-hosts: a run without one of its hosts ended well" >&2 && exit 1; }
state=$(mpirun -n 2 "$moreau" resume "$work/lost" --steps 400 2>/dev/null | tail -n 1)
same "a host lost (status $status), then 2 ranks on one" "$state"
echo "test-hosts: all passed"
