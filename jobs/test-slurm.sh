#!/usr/bin/env bash
# Tests the job files on a real Slurm, on this machine (jobs/slurm-local.sh).
#
#   bash jobs/test-slurm.sh [CASE...]        cases: requeue node chain array srun scancel; by default all
#
# The cases: stopped before the limit and requeued, a lost node, a chain, an array, srun in place of
# mpirun. Each run must end in the state of an undisturbed one. The tests take some eight minutes,
# mostly waiting for time limits, which Slurm counts in minutes. Installs missing packages (Debian,
# as root). Leaves Slurm as it found it.
set -euo pipefail
case ${1-} in
-h | --help)
    sed -n '2,/^set /{s/^# \{0,1\}//;/^set /d;p;}' "$0"
    exit 0
    ;;
esac
cd "$(dirname "$0")/.."
. jobs/mpi-env.sh
# Not inherited by the jobs, which receive SIGUSR1.
unset OMPI_MCA_odls_base_sigkill_timeout
command -v cargo >/dev/null || PATH=$PATH:$HOME/.cargo/bin

bash jobs/setup.sh
cargo build --release --locked
MOREAU=$(realpath "${CARGO_TARGET_DIR:-target}")/release/moreau
export MOREAU MOREAU_HOME=$PWD
# The tasks outnumber the cores here; a message must not wait for a core of its own.
export MOREAU_BIND="--bind-to none --oversubscribe" OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_vader_single_copy_mechanism=none

bash jobs/slurm-local.sh status >/dev/null 2>&1 && was_up=yes || was_up=
bash jobs/slurm-local.sh up
eval "$(bash jobs/slurm-local.sh env)"
work=$(mktemp -d)
finish() {
    local status=$?
    # Leftovers of a failed case in the queue of this local Slurm.
    scancel --name=moreau,moreau-chain,moreau-array 2>/dev/null || true
    [ -n "$was_up" ] || bash "$MOREAU_HOME/jobs/slurm-local.sh" down
    if [ $status = 0 ]; then rm -rf "$work"; else echo "test-slurm: FAILED; see $work" >&2; fi
}
trap finish EXIT
cd "$work"
seconds=$SECONDS

# A run of some seventy seconds on two ranks of this machine, with equal steps. 2000 spheres at rest
# are swept up to the cap in each.
cat >run.toml <<'END'
title = "test-slurm"
gravity = [0.0, 0.0, -9.81]
[time]
dt = 1.0e-3
steps = 1500
[domain]
lower = [0.0, 0.0, 0.0]
upper = [0.15, 0.15, 0.3]
[solver]
tolerance = 1.0e-9
max_sweeps = 20
[limits]
capped = { above = 1e9 }
[checkpoint]
every = 0
[output]
series = 10
[[material]]
name = "glass"
density = 2500.0
friction = 0.5
[[wall]]
shape = "box"
material = "glass"
[[bodies]]
sample = "lattice"
material = "glass"
count = 2000
radius = { uniform = [0.0045, 0.0055] }
END

# The number of steps that take about $1 seconds. Where the machine was busy during the measurement,
# it is not far below that of an idle one.
steps_for() {
    awk -v want="$1" -v took="$took" 'BEGIN { if (took > 3) took = 3; print int(200 * want / took) }'
}

# The last line of the undisturbed run with this configuration and options.
straight() {
    local out
    out=$(mktemp -d -p "$work")
    "$MOREAU" run run.toml --out "$out/run" "$@" 2>/dev/null | tail -n 1
    rm -rf "$out"
}

# Waits until command $2... holds, at most $1 seconds.
wait_for() {
    local until=$((SECONDS + $1))
    shift
    until "$@"; do
        if [ $SECONDS -ge $until ]; then
            echo "test-slurm: waited in vain for: $*" >&2
            squeue -a >&2
            return 1
        fi
        sleep 1
    done
}

state_of() { scontrol show job -o "$1" 2>/dev/null | grep -o 'JobState=[A-Z_]*' | cut -d= -f2; }
is() { [ "$(state_of "$1")" = "$2" ]; }
saved() { compgen -G "$1/checkpoint-*.h5" >/dev/null; }
# Slurm lets a requeued job wait for two minutes; here it need not. Within a second its old
# credentials would be revoked after the new start.
hurry() {
    is "$1" PENDING || return 0
    sleep 4
    scontrol update JobId="$1" StartTime=now 2>/dev/null || true
}
# Waits until a job has ended well; it may be requeued on the way, and is then hurried. Meanwhile
# its state may be anything.
until_completed() {
    local bad=0
    until is "$1" COMPLETED; do
        hurry "$1"
        sleep 1
        case $(state_of "$1") in
        FAILED | TIMEOUT | CANCELLED | NODE_FAIL) bad=$((bad + 1)) ;;
        *) bad=0 ;;
        esac
        [ $bad -lt 5 ] || { cat "$2" >&2 && return 1; }
    done
}
pending_or_done() { is "$1" PENDING || is "$1" COMPLETED; }

# LABEL LOG EXPECTED: the last state line of a log.
compare() {
    local state
    state=$(grep -a '^state ' "$2" | tail -n 1)
    if [ "$state" != "$3" ] || [ -z "$3" ]; then
        echo "test-slurm: $1: '$state' where '$3' is right" >&2
        cat "$2" >&2
        return 1
    fi
    echo "ok   $1: $state"
}

case_requeue() {
    # The limit is a minute. The signal comes up to a minute earlier than requested. Over two nodes
    # steps take several times as long.
    local steps job expected
    steps=$(steps_for 30)
    expected=$(straight --steps "$steps")
    job=$(sbatch --parsable --ntasks=4 --nodes=2 --time=1 --signal=B:USR1@20 --output=requeue.log "$MOREAU_HOME/jobs/run.sbatch" run.toml requeue --steps "$steps")
    wait_for 100 saved requeue
    wait_for 30 pending_or_done "$job"
    until_completed "$job" requeue.log
    grep -aq "stopped by SIGUSR1\|stopped by the end of the batch job" requeue.log
    grep -aq "(restart [1-9]" requeue.log
    compare "requeued $(scontrol show job -o "$job" | grep -o 'Restarts=[0-9]*')" requeue.log "$expected"
}

case_node() {
    local steps job expected rank
    steps=$(steps_for 30)
    expected=$(straight --steps "$steps")
    job=$(sbatch --parsable --ntasks=4 --nodes=2 --time=5 --output=node.log "$MOREAU_HOME/jobs/run.sbatch" run.toml node --steps "$steps" --set checkpoint.interval=3)
    wait_for 60 saved node
    # All processes of this job on its second node die at once.
    for rank in $(pgrep -f "$MOREAU run run.toml --out node"); do
        if [ "$(nsenter -t "$rank" -u hostname 2>/dev/null)" = node2 ]; then kill -KILL "$rank"; fi
    done
    wait_for 60 pending_or_done "$job"
    until_completed "$job" node.log
    grep -aq "(restart [1-9]" node.log
    compare "ranks of a node killed" node.log "$expected"

    # A node that Slurm itself gives up.
    job=$(sbatch --parsable --ntasks=4 --nodes=2 --time=5 --output=down.log "$MOREAU_HOME/jobs/run.sbatch" run.toml down --steps "$steps" --set checkpoint.interval=3)
    wait_for 60 saved down
    scontrol update NodeName=node2 State=DOWN Reason=test
    sleep 2
    scontrol update NodeName=node2 State=RESUME 2>/dev/null || true
    until_completed "$job" down.log
    grep -aq "(restart [1-9]" down.log
    compare "node down" down.log "$expected"
}

case_chain() {
    local steps job expected last=
    steps=$(steps_for 40)
    expected=$(straight --steps "$steps")
    job=$(MOREAU_CHAIN=6 sbatch --parsable --ntasks=2 --time=5 --output=chain-%j.log "$MOREAU_HOME/jobs/chain.sbatch" run.toml chain --steps "$steps" --wall-limit 00:00:25)
    wait_for 240 chain_done
    sleep 3
    last=$(grep -als '^state ' ./*chain*.log | tail -n 1)
    wait_for 60 none_left
    [ "$(state_of "$job")" = FAILED ] # Status 75: asked for more.
    compare "chain" "$last" "$expected"
}
chain_done() { grep -aqs '^state ' ./*chain*.log; }
none_left() { [ -z "$(squeue -h -o %i)" ]; }

case_array() {
    local k expected
    printf '%s\n' 'material.0.friction=0.1' 'material.0.friction=0.3 solver.seed=2 # two' 'solver.max_sweeps=5' >list
    sbatch --wait --array=1-3 --ntasks=2 --time=5 --output=array-%a.log "$MOREAU_HOME/jobs/array.sbatch" run.toml array list --steps 100 >/dev/null
    for k in 1 2 3; do
        # shellcheck disable=SC2046 # words
        expected=$(straight --steps 100 $(sed -n "${k}s/#.*//p;${k}p" list | head -n 1 | sed 's/#.*//; s/\([^ ]\{1,\}\)/--set \1/g'))
        compare "array, line $k" "array-$k.log" "$expected"
    done
}

case_srun() {
    local expected
    expected=$(straight --steps 100)
    MOREAU_LAUNCH=srun MOREAU_BIND="--mpi=pmix --overcommit" sbatch --wait --nodes=2 --ntasks=4 --time=5 --output=srun.log \
        "$MOREAU_HOME/jobs/run.sbatch" run.toml srun --steps 100 >/dev/null
    grep -aq "4 ranks" srun.log
    compare "srun --mpi=pmix" srun.log "$expected"
}

case_scancel() {
    local steps job expected
    steps=$(steps_for 30)
    expected=$(straight --steps "$steps")
    job=$(sbatch --parsable --ntasks=2 --time=5 --output=scancel.log "$MOREAU_HOME/jobs/run.sbatch" run.toml scancel --steps "$steps")
    wait_for 30 is "$job" RUNNING
    wait_for 30 test -s scancel/series.csv
    scancel --signal=TERM --batch "$job"
    wait_for 60 is "$job" FAILED
    saved scancel
    # The same command again resumes the run.
    sbatch --wait --ntasks=3 --time=5 --output=scancel.log "$MOREAU_HOME/jobs/run.sbatch" run.toml scancel --steps "$steps" >/dev/null
    compare "stopped by hand, submitted again on three ranks" scancel.log "$expected"
}

# The time of 200 steps here on two ranks, after the fall.
"$MOREAU" run run.toml --out time --steps 300 >/dev/null 2>&1
begin=$(date +%s.%N)
mpirun -n 2 --bind-to none "$MOREAU" resume time --steps 500 >/dev/null 2>&1
took=$(awk -v a="$begin" -v b="$(date +%s.%N)" 'BEGIN { print b - a }')
echo "200 steps take $took s"

[ $# -gt 0 ] || set -- array srun scancel node chain requeue
for name in "$@"; do
    "case_$name"
done
echo "test-slurm: all passed, $((SECONDS - seconds)) s"
