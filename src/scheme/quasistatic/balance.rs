//! The judge of equilibrium: the unbalanced force of each body, from positions and contacts alone.

use super::assembly::Assembly;
use super::link::Link;
use super::places::start;
use super::unknowns::{Push, UNKNOWNS, numbers};
use crate::math::{ExactSum, Vector3, nan_max};

/// The least force that a tolerance may ask for, in unbalanced forces that rounding leaves: several
/// contacts round at once.
pub(super) const FLOOR: f64 = 5.0;

/// The part of the mean force that unbalanced forces may be, all bodies together.
///
/// Then the mean force is the one of balance.
const NEAR: f64 = 0.01;

/// The balance of an assembly.
#[derive(Clone, Debug)]
pub(super) struct Balance {
    /// Unbalanced force, and moment over the radius, of each own body [N]; zero where it is held.
    /// Then those of the free walls and edges.
    pub unbalanced: Vec<f64>,
    /// The largest `√(f² + (m/r)²)` of a body, free wall or edge on any rank [N]; NaN if one is.
    pub worst: f64,
    /// The force to which it is compared: the mean normal force, of bonds the mean force, or the
    /// largest load of a body where no contact carries any [N].
    pub reference: f64,
    /// The largest load of a body, a free wall or an edge [N].
    pub heaviest: f64,
    /// The unbalanced force that rounding of positions leaves, `2 ε X k` [N]: X is the diagonal of
    /// the domain, k the largest stiffness, ε the rounding of 1; or that of a support or a
    /// contact against rotation, `2 ε κ/r`.
    pub rounding: f64,
    /// Whether the reference is that of balance.
    ///
    /// The unbalanced forces are no larger than rounding leaves, or together a small part of it.
    pub is_near: bool,
    /// Whether a rank is asked to end the run.
    pub asked: bool,
}

impl Balance {
    /// The balance under loads on own bodies. Collective.
    pub(super) fn of(assembly: &Assembly, loads: &Loads) -> Self {
        let pushed = assembly.network.pushed(assembly.pool);
        let period = assembly.domain.partition().grid().period();
        let mut unbalanced = Vec::with_capacity(UNKNOWNS * pushed.len() + assembly.free_count());
        let (mut of_bodies, mut heaviest) = (0.0, 0.0);
        for (k, pushed) in pushed.iter().enumerate() {
            let load = loads.at(assembly, k);
            let radius = assembly.network.body(k).radius;
            let mask = assembly.network.mask(k);
            let left = |push: &Push| {
                let mut each = numbers(push, radius);
                (0..UNKNOWNS).for_each(|n| each[n] = if mask[n] { each[n] } else { 0.0 });
                each
            };
            let mut push = load.plus(pushed);
            if assembly.supports.any() {
                push = push.plus(&assembly.supports.push(assembly.network.body(k), period));
            }
            let of = left(&push);
            of_bodies = nan_max(of_bodies, size(&of));
            heaviest = nan_max(heaviest, size(&left(&load)));
            unbalanced.extend(of);
        }
        let mut of_frees = 0.0;
        for (force, load) in assembly.on_free().into_iter().zip(assembly.free_loads()) {
            of_frees = nan_max(of_frees, force.abs());
            heaviest = nan_max(heaviest, load.abs());
            unbalanced.push(force);
        }
        // A beam of bonds may carry all its load across them.
        let normal = |link: &Link| match link.elastic.glued {
            true => link.carried.force.norm(),
            false => link.carried.force.dot(&link.normal).abs(),
        };
        let mine = assembly.network.links_of_first();
        let pressing = mine.map(|link| normal(&link)).filter(|force| *force > 0.0);
        let pressing: Vec<f64> = pressing.collect();
        let force: ExactSum = pressing.iter().copied().collect();
        let counts = [pressing.len(), pushed.len()];
        let [count, bodies] = counts.map(|n| ExactSum::from_iter([n as f64]));
        let [force, count, bodies] = assembly.domain.sums(&[force, count, bodies]);
        let [mut stiffest, mut turning] = assembly.stiffest_support();
        for link in assembly.network.links() {
            let of = &link.elastic.stiffness;
            stiffest = nan_max(stiffest, of.normal);
            turning = nan_max(turning, of.bending.max(of.twisting) / link.smaller_radius());
        }
        let asked = f64::from(u8::from(assembly.domain.is_asked_to_end()));
        let mut most = [of_bodies, of_frees, heaviest, stiffest, turning, asked];
        assembly.domain.many_max(&mut most);
        let [of_bodies, of_frees, heaviest, stiffest, turning, asked] = most;
        let size = assembly.domain.partition().diameter();
        let rounding = 2.0 * f64::EPSILON * nan_max(size * stiffest, turning);
        let left = FLOOR * rounding;
        let worst = nan_max(of_bodies, of_frees);
        let reference = if count > 0.0 { force / count } else { heaviest };
        // The rounding of all contacts of a wall or an edge adds up.
        let is_rounded = of_bodies <= left && of_frees <= left * count.max(1.0);
        Self {
            unbalanced,
            worst,
            reference,
            heaviest,
            rounding,
            is_near: is_rounded || worst * bodies <= NEAR * reference,
            asked: asked > 0.0,
        }
    }

    /// The smallest tolerance that rounding allows; 0 where nothing is loaded.
    ///
    /// Forces no larger than rounding leaves are those of an assembly without loads, or hide in the
    /// rounding of far too stiff springs: then the largest load decides.
    pub(super) fn floor(&self) -> f64 {
        let left = FLOOR * self.rounding;
        match (self.reference > left, self.heaviest > 0.0) {
            (true, _) => left / self.reference,
            (false, true) => left / self.heaviest,
            (false, false) => 0.0,
        }
    }

    /// The residual [1]: 0 where nothing is loaded.
    ///
    /// A force is compared to one so large that its `tolerance` is not below rounding.
    pub(super) fn residual(&self, tolerance: f64) -> f64 {
        if self.worst == 0.0 {
            0.0
        } else {
            self.worst / nan_max(self.reference, self.rounding / tolerance)
        }
    }
}

fn size(of: &[f64; UNKNOWNS]) -> f64 {
    of.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The loads on own bodies: gravity and fields, these at the places where a part began.
///
/// A field ends at the border of its region. A load that followed a body to and fro across it would
/// have no balance, and one that a body lost as it fell out would hide that nothing held it.
pub(super) enum Loads {
    /// Gravity alone.
    Weights,
    /// Force on each own body [N].
    Given(Vec<Vector3>),
}

impl Loads {
    /// The loads of the present part.
    pub(super) fn of(assembly: &Assembly) -> Self {
        let physics = assembly.physics;
        if physics.acts.fields.is_empty() {
            return Self::Weights;
        }
        let force = |k: usize| {
            let row = assembly.network.body(k);
            physics.acceleration(&start(row), row.mass, assembly.time) * row.mass
        };
        Self::Given((0..assembly.network.own.len()).map(force).collect())
    }

    /// The load on own body number `k`.
    pub(super) fn at(&self, assembly: &Assembly, k: usize) -> Push {
        Push {
            force: match self {
                Self::Weights => assembly.physics.gravity * assembly.network.body(k).mass,
                Self::Given(forces) => forces[k],
            },
            moment: Vector3::zeros(),
        }
    }
}
