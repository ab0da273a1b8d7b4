//! The mean motion of the free bodies in a window, and deviations from it.

use super::Window;
use crate::body::{Ball, BodyRow};
use crate::math::{ExactSum, Vector3};
use crate::shape::Template;

/// The free bodies with their centre in the window, and the position of its image there [m].
pub(super) fn free_inside<'a>(
    bodies: &'a [BodyRow],
    window: &'a Window,
) -> impl Iterator<Item = (&'a BodyRow, Vector3)> {
    let free = bodies.iter().filter(|row| row.is_free());
    free.filter_map(|row| Some((row, window.inside(&Vector3::from(row.position))?)))
}

/// The number of sums of [`motion_sums`].
pub const MOTION_SUMS: usize = 11;

/// Sums over the free bodies in a window: m [kg], m v [kg m/s], ω [rad/s], m x [kg m], kinetic
/// energy [J].
#[must_use]
pub fn motion_sums(bodies: &[BodyRow], window: &Window) -> (usize, [ExactSum; MOTION_SUMS]) {
    let (mut count, mut sums) = (0, <[ExactSum; MOTION_SUMS]>::default());
    for (row, x) in free_inside(bodies, window) {
        let (v, w) = (row.velocity, row.angular_velocity);
        let (m, energy) = (row.mass, row.kinetic_energy());
        let terms = [
            m,
            m * v[0],
            m * v[1],
            m * v[2],
            w[0],
            w[1],
            w[2],
            m * x.x,
            m * x.y,
            m * x.z,
            energy,
        ];
        count += 1;
        sums.iter_mut().zip(terms).for_each(|(s, t)| s.add(t));
    }
    (count, sums)
}

/// The mean motion of bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// Their mass [kg].
    pub mass: f64,
    /// Mean velocity by mass [m/s]; NaN without bodies, as are the other means.
    pub velocity: Vector3,
    /// Mean angular velocity, all bodies with the same weight [rad/s].
    pub angular_velocity: Vector3,
    /// Centre of mass [m].
    pub centre: Vector3,
    /// Kinetic energy, translation and rotation [J].
    pub kinetic_energy: f64,
}

impl Motion {
    /// From the sums over all ranks.
    #[must_use]
    pub fn new(count: f64, sums: &[f64]) -> Self {
        let three = |at: usize| Vector3::new(sums[at], sums[at + 1], sums[at + 2]);
        Self {
            mass: sums[0],
            velocity: three(1) / sums[0],
            angular_velocity: three(4) / count,
            centre: three(7) / sums[0],
            kinetic_energy: sums[10],
        }
    }
}

/// `Σ m δv δv` over the free bodies in a window [J]: xx, yy, zz, xy, xz, yz.
///
/// δv is the difference from the mean velocity. Over the window's volume the sum is the kinetic
/// part of the stress; its trace over mass and number of dimensions is the granular temperature.
#[must_use]
pub fn fluctuations(bodies: &[BodyRow], window: &Window, mean: &Vector3) -> [ExactSum; 6] {
    let mut sums = <[ExactSum; 6]>::default();
    for (row, _) in free_inside(bodies, window) {
        let d = Vector3::from(row.velocity) - mean;
        let six = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];
        let each = sums.iter_mut().zip(six);
        each.for_each(|(sum, (a, b))| sum.add(row.mass * d[a] * d[b]));
    }
    sums
}

/// Number of bodies with their centre in a window, and the volume of bodies inside it [m³].
///
/// Of a clump each ball counts by the clump's share of its balls' volumes: exact if the clump lies
/// inside, and on average over the places of a cut.
#[must_use]
pub fn packing(bodies: &[BodyRow], window: &Window, templates: &[Template]) -> (usize, ExactSum) {
    let place = |row: &BodyRow| Vector3::from(row.position);
    let centres = bodies
        .iter()
        .filter(|row| window.inside(&place(row)).is_some());
    let balls = bodies.iter().flat_map(|row| row.balls(templates));
    let volume = |ball: Ball| window.overlap(&ball.centre, ball.radius) * ball.share;
    (centres.count(), balls.map(volume).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::{BodyId, BodyKind};

    /// Two bodies of masses 1 and 3 that part with 4 m/s, and a fixed one.
    ///
    /// Mean, centre, temperature and energy are computed by hand.
    #[test]
    fn two_bodies_and_one_that_is_fixed() {
        let mut rows = [1.0, 3.0, 9.0].map(|m| BodyRow::sphere(BodyId(0), [m, 0.0, 0.0], 0.5, m));
        rows[0].velocity = [4.0, 0.0, 2.0];
        rows[0].angular_velocity = [0.0, 2.0, 0.0];
        rows[1].velocity = [0.0, 0.0, 2.0];
        rows[2].kind = BodyKind::Fixed as u32;
        let (lower, upper) = (Vector3::zeros(), Vector3::repeat(10.0));
        let window = Window::new(None, (&lower, &upper), [false; 3], false);
        let (count, sums) = motion_sums(&rows, &window);
        let sums = sums.map(|s| s.value());
        let motion = Motion::new(count as f64, &sums);
        assert_eq!((count, motion.mass), (2, 4.0));
        assert_eq!(motion.velocity, Vector3::new(1.0, 0.0, 2.0));
        assert_eq!(motion.angular_velocity, Vector3::y());
        assert_eq!(motion.centre, Vector3::new(2.5, 0.0, 0.0));
        assert_eq!(motion.kinetic_energy, 10.0 + 6.0 + 0.5 * 0.1 * 4.0);
        let moments = fluctuations(&rows, &window, &motion.velocity).map(|s| s.value());
        assert_eq!(moments, [9.0 + 3.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        let (all, volume) = packing(&rows, &window, &[]);
        assert_eq!(all, 3);
        assert_eq!(volume.value(), 3.0 * window.body_volume(0.5));
    }

    /// A dumbbell turned and scaled: wholly inside, it counts with its volume; its balls lie
    /// where the window cuts them; its energies are those of its moments.
    #[test]
    fn a_clump_counts_with_its_own_volume_and_energy() {
        use crate::shape::clump::{Given, Part};
        let part = |x: f64| Part {
            centre: Vector3::new(x, 0.0, 0.0),
            radius: 1.0,
        };
        let pair = Template::new("pair", &[part(0.0), part(1.0)], false, &Given::default());
        let templates = [pair.unwrap()];
        let clump = (0, &templates[0]);
        let mut row = BodyRow::clump(BodyId(0), [5.0; 3], 0.75, 2.0, clump);
        let (lower, upper) = (Vector3::zeros(), Vector3::repeat(10.0));
        let window = Window::new(None, (&lower, &upper), [false; 3], false);
        let (_, volume) = packing(&[row], &window, &templates);
        let expected = (8.0 / 3.0 - 5.0 / 12.0) * std::f64::consts::PI / 8.0;
        assert!((volume.value() / expected - 1.0).abs() < 1e-9);
        assert!((row.volume(false, &templates) / expected - 1.0).abs() < 1e-9);
        // Cut between its balls' centres, by symmetry half of it is inside.
        let region = crate::shape::Region::Box {
            lower,
            upper: Vector3::new(5.0, 10.0, 10.0),
        };
        let half = Window::new(Some(&region), (&lower, &upper), [false; 3], false);
        let (_, volume) = packing(&[row], &half, &templates);
        assert!((2.0 * volume.value() / expected - 1.0).abs() < 1e-9);
        row.turn_with([0.0, 3.0, 0.0], &templates);
        let [along, across, _] = row.moments(&templates);
        assert!(along < across);
        assert!((row.rotational_energy() / (4.5 * across) - 1.0).abs() < 1e-14);
        row.turn_with([3.0, 0.0, 0.0], &templates);
        row.velocity = [0.0, 2.0, 0.0];
        assert!((row.kinetic_energy() - 4.5 * along - 4.0).abs() < 1e-14);
        let mut slower = row;
        slower.turn_with([1.0, 0.0, 0.0], &templates);
        assert!((slower.rotational_energy_lost(&row) - 4.0 * along).abs() < 1e-14);
    }
}
