//! The results of a measure after a step, over all ranks.

use super::sides::Sides;
use crate::body::{BodyId, BodyRow};
use crate::config::{Measure, What};
use crate::io::series::{Figure, ForceLine, ProfileLine, TrackLine};
use crate::math::{ExactSum, Vector3};
use crate::measure::{
    self, FORCE_BINS, Heap, Motion, PROFILE_SUMS, Profile, Window, force_bin, motion_sums,
};
use crate::sim::now::Now;

/// The figures of a measure after a step, and its lines in long files.
#[derive(Default)]
pub(super) struct Record {
    pub(super) figures: Vec<Figure>,
    pub(super) forces: Vec<ForceLine>,
    pub(super) profile: Vec<ProfileLine>,
    pub(super) tracks: Vec<TrackLine>,
}

/// Shares of the mass for which a heap's extent is written.
const QUANTILES: [f64; 4] = [0.5, 0.9, 0.95, 0.99];

impl Record {
    /// Evaluates the measure. Collective. `sides` are the bodies that contacts touch.
    pub(super) fn new(now: &Now, measure: &Measure, sides: &Sides) -> Self {
        let mut record = Self::default();
        let window = &measure.window;
        for what in &measure.what {
            match what {
                What::Packing => record.packing(now, window),
                What::Coordination { least } => {
                    let (bodies, contacts) = (now.state.bodies(), now.state.contacts());
                    let z = now.domain.coordination(bodies, contacts, window, *least);
                    record.amounts(&[z.mean(), z.mean_without_rattlers(), z.share_of_rattlers()]);
                }
                What::Stress => record.stress(now, window, sides),
                What::Fabric => record.fabric(now, window),
                What::Forces => record.forces(now, window),
                What::Velocity => record.velocity(now, window),
                What::Heap(heap) => record.heap(now, window, heap),
                What::Profile(profile) => record.profile(now, profile),
                What::Tracks(ids) => record.tracks(now, ids),
            }
        }
        record
    }

    fn amounts(&mut self, amounts: &[f64]) {
        let each = amounts.iter().map(|x| Figure::Amount(*x));
        self.figures.extend(each);
    }

    fn packing(&mut self, now: &Now, window: &Window) {
        let (bodies, volume) = measure::packing(now.state.bodies(), window, &now.physics.templates);
        let [volume] = now.domain.sums(&[volume]);
        self.figures.push(Figure::Count(total(now, bodies)));
        self.amounts(&[volume / window.volume()]);
    }

    fn stress(&mut self, now: &Now, window: &Window, sides: &Sides) {
        let (bodies, contacts) = (now.state.bodies(), now.state.contacts());
        let side = |id, part| sides.side(now, id, part);
        let moments = now
            .domain
            .sums(&measure::branch_moments(contacts, window, side));
        let over = window.volume() * now.state.clock.dt;
        self.amounts(&moments.map(|sum| sum / over));
        let (_, motion) = motion(now, window);
        let kinetic = match motion.mass > 0.0 {
            true => measure::fluctuations(bodies, window, &motion.velocity),
            false => Default::default(),
        };
        let kinetic = now.domain.sums(&kinetic);
        self.amounts(&kinetic.map(|sum| sum / window.volume()));
    }

    fn fabric(&mut self, now: &Now, window: &Window) {
        let (count, sums) = measure::fabric(now.state.contacts(), window);
        let count = total(now, count);
        let sums = now.domain.sums(&sums);
        self.figures.push(Figure::Count(count));
        self.amounts(&sums.map(|sum| sum / count as f64));
    }

    fn forces(&mut self, now: &Now, window: &Window) {
        let (contacts, dt) = (now.state.contacts(), now.state.clock.dt);
        let (count, sums) = measure::force_sums(contacts, window);
        let count = total(now, count);
        let n = count as f64;
        let means = now.domain.sums(&sums).map(|sum| sum / n);
        let (counts, squares) = measure::force_counts(contacts, window, means);
        let deviations = now.domain.sums(&squares).map(|sum| (sum / n).sqrt() / dt);
        let mut all = vec![counts.sliding, counts.weak];
        all.extend(counts.normal);
        all.extend(counts.tangential);
        now.domain.count(&mut all);
        let [mean, _, tangential] = means.map(|mean| mean / dt);
        self.figures.push(Figure::Count(count));
        let (sliding, weak) = (all[0] as f64 / n, all[1] as f64 / n);
        self.amounts(&[
            mean,
            deviations[0],
            tangential,
            deviations[1],
            sliding,
            weak,
        ]);
        let (normal, tangential) = all[2..].split_at(FORCE_BINS);
        let line = |bin: usize| ForceLine {
            step: now.state.clock.step,
            time: now.state.clock.time,
            low: force_bin(bin).0,
            high: force_bin(bin).1,
            normal: normal[bin] as u64,
            tangential: tangential[bin] as u64,
        };
        self.forces = (0..FORCE_BINS).map(line).collect();
    }

    fn velocity(&mut self, now: &Now, window: &Window) {
        let (_, motion) = motion(now, window);
        let sums = measure::fluctuations(now.state.bodies(), window, &motion.velocity);
        let [xx, yy, zz, ..] = now.domain.sums(&sums);
        let temperature = (xx + yy + zz) / (window.dimensions() * motion.mass);
        let (v, w, c) = (motion.velocity, motion.angular_velocity, motion.centre);
        self.amounts(&[motion.mass, v.x, v.y, v.z, w.x, w.y, w.z, temperature]);
        self.amounts(&[motion.kinetic_energy, c.x, c.y, c.z]);
    }

    fn heap(&mut self, now: &Now, window: &Window, heap: &Heap) {
        let bodies = now.state.bodies();
        let top = now
            .domain
            .max(heap.top((bodies, &now.physics.templates), window));
        if top == f64::NEG_INFINITY {
            self.amounts(&[f64::NAN; 2 + QUANTILES.len()]);
            return;
        }
        let within = extents(now, &heap.spread(bodies, window));
        // Out to the extent of nearly all of the mass: bodies that rolled away are not part of the
        // slope.
        let reach = within[2];
        let mut surface = heap.surface((bodies, &now.physics.templates), window, reach);
        now.domain.many_max(&mut surface);
        self.amounts(&[top]);
        self.amounts(&within);
        self.amounts(&[heap.angle(&surface, reach)]);
    }

    fn profile(&mut self, now: &Now, profile: &Profile) {
        let bodies = now.state.bodies();
        let (mut counts, sums) = profile.sums(bodies, &now.physics.templates);
        now.domain.count(&mut counts);
        let sums = now.domain.many_sums(sums);
        let of = |bin: usize| &sums[PROFILE_SUMS * bin..PROFILE_SUMS * (bin + 1)];
        let mean = |s: &[f64]| Vector3::new(s[2], s[3], s[4]) / s[1];
        let means: Vec<Vector3> = (0..counts.len()).map(|bin| mean(of(bin))).collect();
        let squares = now.domain.many_sums(profile.fluctuations(bodies, &means));
        let line = |(bin, (low, high)): (usize, (f64, f64))| ProfileLine {
            step: now.state.clock.step,
            time: now.state.clock.time,
            low,
            high,
            bodies: counts[bin] as u64,
            solid_fraction: of(bin)[0] / profile.volume(bin),
            vx: means[bin].x,
            vy: means[bin].y,
            vz: means[bin].z,
            temperature: squares[bin] / (profile.dimensions() * of(bin)[1]),
        };
        self.profile = profile.bins().enumerate().map(line).collect();
    }

    fn tracks(&mut self, now: &Now, ids: &[BodyId]) {
        let mine: Vec<BodyRow> = (now.state.bodies().iter())
            .filter(|row| ids.binary_search(&row.id).is_ok())
            .copied()
            .collect();
        let words = size_of::<BodyRow>() / size_of::<u64>();
        let all = now.domain.gather(bytemuck::cast_slice(&mine));
        let mut rows: Vec<BodyRow> = (all.chunks(words))
            .map(|row| bytemuck::pod_read_unaligned(bytemuck::cast_slice(row)))
            .collect();
        rows.sort_unstable_by_key(|row| row.id);
        let period = now.domain.partition().grid().period();
        let line = |row: &BodyRow| {
            let way = measure::way(row, period);
            let ([vx, vy, vz], [wx, wy, wz]) = (row.velocity, row.angular_velocity);
            TrackLine {
                step: now.state.clock.step,
                time: now.state.clock.time,
                id: row.id.0,
                x: way.x,
                y: way.y,
                z: way.z,
                vx,
                vy,
                vz,
                wx,
                wy,
                wz,
            }
        };
        self.tracks = rows.iter().map(line).collect();
    }
}

fn total(now: &Now, here: usize) -> u64 {
    now.comm.sum_count(here)
}

/// The number of free bodies in a window, and their common motion. Collective.
fn motion(now: &Now, window: &Window) -> (u64, Motion) {
    let (count, sums) = motion_sums(now.state.bodies(), window);
    let count = total(now, count);
    (count, Motion::new(count as f64, &now.domain.sums(&sums)))
}

/// The distances within which these shares of the mass lie [m]. Collective.
///
/// Each is the smallest distance at which there is a body, found by bisection over all
/// floating-point numbers between zero and the farthest.
fn extents(now: &Now, spread: &measure::Spread) -> [f64; QUANTILES.len()] {
    let farthest = now.domain.max(spread.farthest());
    let [mass] = now.domain.sums(&[spread.mass_between(None, farthest)]);
    // Numbers that are not negative are ordered as their bits. Too near, near enough, and the mass
    // that is too near.
    let mut low = [None::<u64>; QUANTILES.len()];
    let mut high = [farthest.to_bits(); QUANTILES.len()];
    let mut below = <[ExactSum; QUANTILES.len()]>::default();
    loop {
        let first = |k: usize| low[k].map_or(0, |bits| bits + 1);
        if (0..QUANTILES.len()).all(|k| first(k) >= high[k]) {
            return high.map(f64::from_bits);
        }
        let middle: [u64; QUANTILES.len()] =
            std::array::from_fn(|k| first(k) + (high[k] - first(k)) / 2);
        let parts: [ExactSum; QUANTILES.len()] = std::array::from_fn(|k| {
            let above = low[k].map(f64::from_bits);
            let mut sum = spread.mass_between(above, f64::from_bits(middle[k]));
            sum.merge(&below[k]);
            sum
        });
        let sums = now.domain.sums(&parts);
        for (k, part) in parts.into_iter().enumerate() {
            if sums[k] >= QUANTILES[k] * mass {
                high[k] = middle[k];
            } else {
                low[k] = Some(middle[k]);
                below[k] = part;
            }
        }
    }
}
