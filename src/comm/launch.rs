//! Start and end of the ranks of a run.

use super::Comm;

/// Runs `work` on this process's rank, ends MPI (if any), and returns the status of `work`.
///
/// All ranks should return the same status, for it becomes the status of the job.
pub fn launch(work: impl FnOnce(&dyn Comm) -> i32) -> i32 {
    #[cfg(feature = "mpi")]
    let comm = super::mpi::initialize();
    #[cfg(not(feature = "mpi"))]
    let comm = super::threads::Serial;
    #[cfg(not(feature = "mpi"))]
    if let Some(ranks) = launched_as_one_of() {
        eprintln!(
            "moreau: started as one of {ranks} processes, but built without MPI; \
             accepted: one process, or the default build"
        );
        return 2;
    }
    let status = work(&comm);
    #[cfg(feature = "mpi")]
    comm.end(status);
    status
}

/// Whether this process is the first, or the only one, that a launcher of MPI jobs started.
///
/// Launchers set the rank in the environment of each process, so MPI need not be started.
#[must_use]
pub fn is_first_process() -> bool {
    let variables = [
        "OMPI_COMM_WORLD_RANK",
        "PMIX_RANK",
        "PMI_RANK",
        "SLURM_PROCID",
    ];
    let ranks = variables.iter().filter_map(|name| std::env::var(name).ok());
    !ranks.into_iter().any(|rank| rank != "0")
}

/// The number of processes of an MPI launcher, if it started several.
#[cfg(not(feature = "mpi"))]
fn launched_as_one_of() -> Option<u64> {
    let variables = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"];
    let counts = variables
        .iter()
        .filter_map(|name| std::env::var(name).ok()?.parse().ok());
    counts.filter(|n| *n > 1).max()
}
