# shellcheck shell=bash
# Functions of the job files, which source this file. Needs: $home, the folder of this project.

# The program: $MOREAU, or the one built here, or the one in PATH.
find_moreau() {
    moreau=${MOREAU:-}
    [ -n "$moreau" ] || moreau=${home:?}/target/release/moreau
    [ -x "$moreau" ] || moreau=$(command -v moreau) || {
        echo "moreau: there is no $home/target/release/moreau and no moreau in PATH; cargo build --release, or set MOREAU" >&2
        exit 2
    }
}

# The command that starts ranks, in the array `launch`. MOREAU_LAUNCH is "mpirun" (default, if
# installed) or "srun"; MOREAU_BIND replaces the options that bind ranks to cores: one rank on as
# many cores as it has threads.
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
        launch=(srun --kill-on-bad-exit=1 "--cpus-per-task=$threads" ${MOREAU_BIND---cpu-bind=cores})
        ;;
    *)
        echo "moreau: MOREAU_LAUNCH=$how; accepted: mpirun, srun" >&2
        exit 2
        ;;
    esac
}

# The step of the newest checkpoint of folder $1, or nothing.
newest_step() {
    find -H "$1/" -maxdepth 1 -name 'checkpoint-*.h5' 2>/dev/null | sed 's/.*checkpoint-0*\([0-9]\{1,\}\)\.h5$/\1/' | sort -n | tail -n 1
}

# Starts the run, or resumes it from the newest valid checkpoint of the folder. The program finds
# out which of the two, and never deletes a checkpoint to start again. It compares CONFIG and the
# options with the checkpoint: changes that resume may make are listed and made, others end it with
# status 2.
#   run_or_resume CONFIG OUT [moreau's options...]
# Sets `status`. A signal to this shell goes to the ranks as SIGUSR1, and they write a checkpoint.
run_or_resume() {
    local config=$1 out=$2 pid='' end again
    shift 2
    asked=
    trap 'asked=USR1; [ -z "$pid" ] || kill -USR1 "$pid" 2>/dev/null' USR1
    trap 'asked=TERM; [ -z "$pid" ] || kill -USR1 "$pid" 2>/dev/null' TERM
    # Slurm before 23.02 does not give a job the time of its end.
    if [ -z "${SLURM_JOB_END_TIME:-}" ] && [ -n "${SLURM_JOB_ID:-}" ]; then
        end=$(scontrol show job -o "$SLURM_JOB_ID" 2>/dev/null | grep -o ' EndTime=[^ ]*' | cut -d= -f2)
        [ -z "$end" ] || end=$(date -d "$end" +%s 2>/dev/null)
        [ -z "$end" ] || export SLURM_JOB_END_TIME="$end"
    fi
    # A job may lack the submitter's environment; its ranks still get that of the job.
    export SLURM_EXPORT_ENV=ALL
    before=$(newest_step "$out")
    set -- run "$config" --out "$out" --or-resume --threads "$threads" "$@"
    echo "$(date +%FT%T) job ${SLURM_JOB_ID:-none} (restart ${SLURM_RESTART_COUNT:-0}) on ${SLURM_JOB_NODELIST:-$(hostname)}: ${launch[*]} $moreau $*"
    "${launch[@]}" "$moreau" "$@" &
    pid=$!
    if [ -n "$asked" ]; then
        # The signal came before the ranks were started; they need a moment until they handle it.
        sleep 5
        kill -USR1 $pid 2>/dev/null
    fi
    # mpirun passes a signal on to all ranks, srun as well. A signal ends the wait, not the run.
    while wait $pid; status=$?; kill -0 $pid 2>/dev/null; do :; done
    # If the run ended just as a signal came, that was the status of the wait.
    wait $pid 2>/dev/null
    again=$?
    [ $again = 127 ] || status=$again
    trap '' USR1 TERM
    echo "$(date +%FT%T) ended with status $status${asked:+, asked by SIG$asked}"
}

# Whether the run can and should continue: it was stopped in good order, or a rank or node was lost,
# and it has come further than before.
should_go_on() {
    local now
    [ "$asked" != TERM ] || return 1
    case $status in 0 | 2 | 3 | 4) return 1 ;; esac
    now=$(newest_step "$1")
    if [ -z "$now" ] || [ "$now" = "$before" ]; then
        echo "moreau: no further than before, so it is not asked for again" >&2
        return 1
    fi
}
