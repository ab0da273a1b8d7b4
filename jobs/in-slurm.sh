# shellcheck shell=bash
# What the job files share; they source it. Needs: $home, the folder of this project.

# The program: $MOREAU, or what was built here, or what the shell finds.
find_moreau() {
    moreau=${MOREAU:-}
    [ -n "$moreau" ] || moreau=${home:?}/target/release/moreau
    [ -x "$moreau" ] || moreau=$(command -v moreau) || {
        echo "moreau: there is no $home/target/release/moreau and no moreau in PATH; cargo build --release, or set MOREAU" >&2
        exit 2
    }
}

# How ranks are started, in the array `launch`: MOREAU_LAUNCH is "mpirun" (default, where there is one) or "srun"; MOREAU_BIND stands for the
# options that bind ranks to cores: one rank on so many cores as it has threads.
choose_launch() {
    threads=${SLURM_CPUS_PER_TASK:-1}
    local how=${MOREAU_LAUNCH:-}
    [ -n "$how" ] || { command -v mpirun >/dev/null && how=mpirun || how=srun; }
    case $how in
    mpirun)
        # shellcheck disable=SC2206 # words
        launch=(mpirun -n "${SLURM_NTASKS:-1}" ${MOREAU_BIND---map-by slot:PE=$threads --bind-to core})
        ;;
    srun)
        # shellcheck disable=SC2206
        launch=(srun "--cpus-per-task=$threads" ${MOREAU_BIND---cpu-bind=cores})
        ;;
    *)
        echo "moreau: MOREAU_LAUNCH=$how; accepted: mpirun, srun" >&2
        exit 2
        ;;
    esac
}

# The step of the newest checkpoint of folder $1, or nothing.
newest_step() {
    find "$1" -maxdepth 1 -name 'checkpoint-*.h5' 2>/dev/null | sed 's/.*checkpoint-0*\([0-9]\{1,\}\)\.h5$/\1/' | sort -n | tail -n 1
}

# Where the run stands: from a configuration, or from the checkpoints that the folder holds.
#   run_or_resume CONFIG OUT [moreau's options...]
# Sets `status`. A signal to this shell goes to the ranks as SIGUSR1, and they write a checkpoint.
run_or_resume() {
    local config=$1 out=$2 option
    shift 2
    # Slurm before 23.02 does not tell a job when it ends.
    if [ -z "${SLURM_JOB_END_TIME:-}" ] && [ -n "${SLURM_JOB_ID:-}" ]; then
        local end
        end=$(scontrol show job -o "$SLURM_JOB_ID" 2>/dev/null | grep -o ' EndTime=[^ ]*' | cut -d= -f2) || end=
        SLURM_JOB_END_TIME=$(date -d "$end" +%s 2>/dev/null) && export SLURM_JOB_END_TIME
    fi
    before=$(newest_step "$out")
    if [ -n "$before" ]; then
        # The configuration and what was set are in the checkpoint; only the end of a run is not.
        set -- "$@" ""
        local options=()
        while [ $# -gt 1 ]; do
            option=$1
            shift
            case $option in
            --steps | --until | --wall-limit) options+=("$option" "$1") && shift ;;
            --steps=* | --until=* | --wall-limit=*) options+=("$option") ;;
            --set | --seed) shift ;;
            *) ;;
            esac
        done
        set -- resume "$out" ${options[@]+"${options[@]}"}
    else
        # A run that was ended before its first checkpoint has left nothing worth keeping.
        set -- run "$config" --out "$out" --overwrite "$@"
    fi
    echo "$(date +%FT%T) job ${SLURM_JOB_ID:-none} (restart ${SLURM_RESTART_COUNT:-0}) on ${SLURM_JOB_NODELIST:-$(hostname)}: ${launch[*]} $moreau $* --threads $threads"
    asked=
    "${launch[@]}" "$moreau" "$@" --threads "$threads" &
    local pid=$!
    # mpirun hands it on to all ranks, srun as well.
    trap 'asked=USR1; kill -USR1 '$pid' 2>/dev/null' USR1
    trap 'asked=TERM; kill -USR1 '$pid' 2>/dev/null' TERM
    status=0
    # A signal ends the wait, not the run.
    while wait $pid; status=$?; kill -0 $pid 2>/dev/null; do :; done
    trap - USR1 TERM
    echo "$(date +%FT%T) ended with status $status${asked:+, asked by SIG$asked}"
}

# Whether the run can go on and has a reason to: it was stopped in order, or a rank or node was lost and it had come further than before.
should_go_on() {
    [ "$asked" != TERM ] || return 1
    case $status in
    75) return 0 ;;
    0 | 2 | 3 | 4) return 1 ;;
    *)
        local now
        now=$(newest_step "$1")
        [ -n "$now" ] && [ "$now" != "$before" ]
        ;;
    esac
}
