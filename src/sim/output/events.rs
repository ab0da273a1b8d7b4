//! Events of a step: bonds that broke, and the work of a quasi-static increment.

use super::Output;
use crate::io::series::{BondLine, IncrementLine};
use crate::math::Vector3;
use crate::scheme::{BrokenBond, Report};
use crate::sim::error::RunError;
use crate::sim::now::Now;

/// The numbers of a broken bond, as sent between ranks.
const NUMBERS: usize = 18;

impl Output {
    /// Writes the events of a step. Collective.
    pub(super) fn events(&mut self, now: &Now, report: &Report) -> Result<(), RunError> {
        if report.broken == 0 && report.tally.is_none() {
            return Ok(());
        }
        let bonds = if report.broken > 0 {
            broken(now, &report.here.broken)
        } else {
            Vec::new()
        };
        let increment = increment(now, report);
        let written = self.files.as_mut().map_or(Ok(()), |files| {
            if let Some(file) = &mut files.bonds {
                bonds.iter().try_for_each(|line| file.add(line))?;
            }
            if let (Some(file), Some(line)) = (&mut files.increments, &increment) {
                file.add(line)?;
            }
            files.flush_what_waits()
        });
        self.rows_written(
            now.comm,
            written.map_err(|e| RunError::Incomplete(e.to_string())),
        )
    }
}

fn increment(now: &Now, report: &Report) -> Option<IncrementLine> {
    let tally = report.tally?;
    let clock = &now.state.clock;
    Some(IncrementLine {
        step: clock.step,
        time: clock.time,
        parts: tally.parts,
        iterations: tally.iterations,
        products: tally.products,
        jumps: tally.jumps,
        contacts: tally.contacts,
        sliding: tally.sliding,
        opened: tally.opened,
        closed: tally.closed,
        broken: report.broken,
        residual: report.outcome.verdict.residual,
        elastic: report.elastic,
        forced: report.forced,
        load_factor: now.physics.load_factor(clock.time).unwrap_or(1.0),
    })
}

/// The lines of the bonds that broke on all ranks, in the order in which they broke. Collective.
fn broken(now: &Now, here: &[BrokenBond]) -> Vec<BondLine> {
    let numbers = |bond: &BrokenBond| -> [u64; NUMBERS] {
        let vectors = [bond.point, bond.normal, bond.force, bond.couple];
        let [time, energy] = [bond.time, bond.energy].map(f64::to_bits);
        let mut all = [bond.wave, bond.a.0, bond.b.0, bond.bond, time, energy]
            .into_iter()
            .chain(vectors.iter().flat_map(Vector3::iter).map(|x| x.to_bits()));
        [(); NUMBERS].map(|()| all.next().unwrap_or_default())
    };
    let mine: Vec<u64> = here.iter().flat_map(numbers).collect();
    let mut all = now.domain.gather(&mine);
    let all = all.as_chunks_mut::<NUMBERS>().0;
    all.sort_unstable();
    all.iter().map(|numbers| line(now, numbers)).collect()
}

fn line(now: &Now, numbers: &[u64; NUMBERS]) -> BondLine {
    let [wave, a, b, bond, numbers @ ..] = *numbers;
    let [time, energy, x, y, z, nx, ny, nz, fx, fy, fz, cx, cy, cz] = numbers.map(f64::from_bits);
    let wall = crate::body::BodyId(b).wall_index();
    BondLine {
        step: now.state.clock.step,
        time,
        wave,
        a,
        b: wall.map_or_else(|| b.to_string(), |w| now.physics.walls[w].name.clone()),
        bond,
        x,
        y,
        z,
        nx,
        ny,
        nz,
        fx,
        fy,
        fz,
        cx,
        cy,
        cz,
        energy,
    }
}
