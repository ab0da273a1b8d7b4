//! The rows of the series and of the walls.

use super::Output;
use super::flows::flow_lines;
use super::walls::{cell_line, powers, wall_line, walls};
use crate::io::series::Row;
use crate::measure;
use crate::scheme::{Report, Verb};
use crate::sim::error::RunError;
use crate::sim::now::Now;

impl Output {
    /// Writes a row of the series, and one for each wall. Collective.
    pub(super) fn row(&mut self, now: &Now, report: &Report) -> Result<(), RunError> {
        let Now {
            comm,
            domain,
            scenario,
            physics,
            scheme,
            state,
            timers: spent,
            ledger,
        } = now;
        let bodies = state.bodies();
        let period = domain.partition().grid().period();
        let energies = measure::energies(bodies, &scenario.gravity, period, scheme.pool());
        let [kinetic_energy, potential_energy] = domain.sums(&energies);
        let [contacts, active] = scheme.count_contacts(state);
        let mut counts = [bodies.len(), contacts, active].map(|n| n as i64);
        comm.sum_i64(&mut counts);
        let max_overlap = domain.max(report.here.overlap);

        let wall_s = self.wall_seconds();
        let (timers, last_wall) = &self.last_row;
        let spent = |verb: Verb| spent.seconds(verb) - timers.seconds(verb);
        let slowest = |seconds: f64| domain.max(seconds);
        let work = spent(Verb::Sweep) + spent(Verb::Detect);
        let [whole_work] = domain.sums(&[[work].into_iter().collect()]);
        let [came, drained] = ledger.flows.bodies(scenario);
        let row = Row {
            step: state.clock.step,
            time: state.clock.time,
            bodies: counts[0] as u64,
            contacts: counts[1] as u64,
            active: counts[2] as u64,
            sweeps: report.outcome.sweeps,
            residual: report.outcome.verdict.residual,
            converged: report.outcome.verdict.converged,
            max_overlap,
            kinetic_energy,
            potential_energy,
            dissipated: ledger.energies.dissipated,
            wall_s: wall_s - last_wall,
            detect_s: slowest(spent(Verb::Detect)),
            sweep_s: slowest(spent(Verb::Sweep)),
            exchange_s: slowest(spent(Verb::Exchange)),
            imbalance: slowest(work) * comm.size() as f64 / whole_work,
            elastic_energy: ledger.energies.elastic,
            normal: ledger.energies.normal,
            cohesion: ledger.energies.cohesion,
            friction: ledger.energies.friction,
            rolling: ledger.energies.rolling,
            torsion: ledger.energies.torsion,
            driven: ledger.energies.driven,
            integrator: ledger.energies.integrator,
            projected: ledger.energies.projected,
            deleted: ledger.deleted,
            dt: report.dt,
            rushed: ledger.rushed_steps,
            plastic: ledger.plastic,
            entered: ledger.energies.entered,
            came,
            drained,
            fracture: ledger.energies.fracture,
            prestress: ledger.energies.prestress,
        };
        self.last_row = (*now.timers, wall_s);
        let walls = walls(domain, scheme, state);
        let powers = powers(domain, scheme, state, &walls);
        let written = self.files.as_mut().map_or(Ok(()), |files| {
            files.series.add(&row)?;
            let mut each = physics.walls.iter().zip(&walls).zip(&powers);
            each.try_for_each(|((wall, row), power)| {
                files.walls.add(&wall_line(state, wall, row, *power))
            })?;
            if let Some(cell) = &mut files.cell {
                let line = cell_line(now, report);
                line.map_or(Ok(()), |line| cell.add(&line))?;
            }
            let mut flows = flow_lines(state, scenario, ledger);
            flows.try_for_each(|line| files.flows.add(&line))?;
            files.flush_what_waits()
        });
        self.rows_written(
            *comm,
            written.map_err(|e| RunError::Incomplete(e.to_string())),
        )
    }
}
