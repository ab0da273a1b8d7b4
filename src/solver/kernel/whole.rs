//! The law with all that may be beside Coulomb's, many contacts at once.

use crate::law::couples::PASSES;
use crate::solver::batch::{Batch, Bonds, Couples, Drives, Eight, LANES, Springs};
use crate::solver::lanes::{Lanes, Rows};
use crate::solver::vectors::{add_to, add3, cross, dot, load, load3, scaled, store3, sub3};

/// A batch with what it has beside.
pub(super) struct Whole<'a> {
    pub(super) batch: &'a mut Batch,
    pub(super) springs: Option<&'a Springs>,
    pub(super) couples: Option<&'a mut Couples>,
    pub(super) bonds: Option<&'a Bonds>,
    pub(super) drives: Option<&'a Drives>,
}

/// Numbers of some contacts, a lane each.
type Lane<S> = <S as pulp::Simd>::f64s;

/// Vectors of some contacts.
type Lane3<S> = [<S as pulp::Simd>::f64s; 3];

/// What friction and couples are solved from.
struct Tangent<S: Lanes> {
    n: Lane3<S>,
    tangential: Lane3<S>,
    slip: Lane3<S>,
    /// Tangential mass.
    mass: Lane<S>,
    friction: Lane<S>,
    /// Normal impulse that friction and couples see.
    pressed: Lane<S>,
    open: S::m64s,
}

impl Whole<'_> {
    /// Updates all its contacts: [`full::solve`](crate::law::full::solve), operation by operation.
    #[inline(always)]
    pub(super) fn update<S: Lanes, R: Rows + ?Sized>(
        &mut self,
        s: S,
        members: &mut R,
        changes: &mut Eight,
    ) {
        for part in (0..LANES).step_by(S::F64_LANES) {
            self.update_lanes(s, part, members, changes);
        }
    }

    #[inline(always)]
    fn update_lanes<S: Lanes, R: Rows + ?Sized>(
        &mut self,
        s: S,
        part: usize,
        members: &mut R,
        changes: &mut Eight,
    ) {
        let zero = s.splat_f64s(0.0);
        let lanes = part..part + S::F64_LANES;
        let batch = &mut *self.batch;
        let [a, b] = batch.place;
        let (a, b) = (&a[lanes.clone()], &b[lanes]);
        let n = load3(s, &batch.normal, part);
        let r = load3(s, &batch.impulse, part);
        let [a_x, a_y, a_z, a_1, a_2, a_3] = s.columns(&*members, a);
        let [b_x, b_y, b_z, b_1, b_2, b_3] = s.columns(&*members, b);
        let (spin_a, spin_b) = ([a_1, a_2, a_3], [b_1, b_2, b_3]);
        let velocity = sub3(s, &[b_x, b_y, b_z], &[a_x, a_y, a_z]);
        let both = add3(s, &spin_b, &spin_a);
        let turn = cross(s, &both, &n);
        let mut u = sub3(s, &velocity, &turn);
        if let Some(drives) = self.drives {
            let offset = load3(s, &drives.offset, part);
            for k in 0..3 {
                u[k] = s.add_f64s(u[k], offset[k]);
            }
        }
        let u_n = dot(s, &u, &n);
        let r_n = dot(s, &r, &n);
        let m_n = load(s, &batch.normal_mass, part);
        // R_n = r_n − m_n (u_n + b_n [+ γ_n r_n])
        let mut speed = s.add_f64s(u_n, load(s, &batch.closing_speed, part));
        if let Some(springs) = self.springs {
            let soft = load(s, &springs.softness[0], part);
            speed = s.add_f64s(speed, s.mul_f64s(soft, r_n));
        }
        let closing = s.sub_f64s(r_n, s.mul_f64s(m_n, speed));
        let mut open = s.less_than_or_equal_f64s(closing, zero);
        let (mut new_n, mut pressed) = (closing, closing);
        if let Some(bonds) = self.bonds {
            let cohesion = load(s, &bonds.cohesion, part);
            let weakened = s.greater_than_f64s(load(s, &bonds.weakened, part), zero);
            let pull = s.neg_f64s(cohesion);
            let keeping = s.sub_f64s(r_n, s.mul_f64s(m_n, u_n));
            let kept = s.select_f64s(s.greater_than_f64s(keeping, zero), zero, keeping);
            let held = s.select_f64s(weakened, kept, closing);
            let held = s.select_f64s(s.less_than_f64s(held, pull), pull, held);
            new_n = s.select_f64s(s.greater_than_f64s(closing, held), closing, held);
            pressed = s.add_f64s(new_n, cohesion);
            open = s.less_than_f64s(zero, zero);
        }
        let mut tangential = r;
        let mut slip = u;
        for k in 0..3 {
            tangential[k] = s.sub_f64s(r[k], s.mul_f64s(n[k], r_n));
            slip[k] = s.sub_f64s(u[k], s.mul_f64s(n[k], u_n));
            if let Some(springs) = self.springs {
                let before = load(s, &springs.previous_tangential[k], part);
                let soft = load(s, &springs.softness[1], part);
                let stretch = s.sub_f64s(tangential[k], before);
                slip[k] = s.add_f64s(slip[k], s.mul_f64s(stretch, soft));
            }
        }
        let tangent = Tangent {
            n,
            tangential,
            slip,
            mass: load(s, &batch.tangential_mass, part),
            friction: load(s, &batch.friction, part),
            pressed,
            open,
        };
        let (new_t, couple) = match &self.couples {
            None => {
                let change = scaled(s, &slip, tangent.mass);
                (sub3(s, &tangential, &change), [zero; 3])
            }
            Some(couples) => {
                let [lever_a, lever_b] = &couples.inverse_lever;
                let (lever_a, lever_b) = (load(s, lever_a, part), load(s, lever_b, part));
                let of_a = scaled(s, &spin_a, lever_a);
                let mut spin = sub3(s, &scaled(s, &spin_b, lever_b), &of_a);
                if let Some(drives) = self.drives {
                    let offset = load3(s, &drives.spin_offset, part);
                    for k in 0..3 {
                        spin[k] = s.add_f64s(spin[k], offset[k]);
                    }
                }
                tangent.with_couples(s, couples, &spin, part)
            }
        };
        // Back into the disc of radius μ R_n.
        let size = s.sqrt_f64s(dot(s, &new_t, &new_t));
        let bound = s.mul_f64s(tangent.friction, pressed);
        let slides = s.greater_than_f64s(size, bound);
        let scale = s.select_f64s(slides, s.div_f64s(bound, size), s.splat_f64s(1.0));
        let (mut wanted, mut d) = (r, r);
        for k in 0..3 {
            let pushed = s.add_f64s(s.mul_f64s(n[k], new_n), s.mul_f64s(new_t[k], scale));
            wanted[k] = s.select_f64s(open, zero, pushed);
            d[k] = s.sub_f64s(wanted[k], r[k]);
        }
        store3(s, &mut batch.impulse, part, &wanted);
        add_to(s, changes, part, s.div_f64s(dot(s, &d, &d), m_n));
        let moment = cross(s, &n, &d);
        let Some(couples) = &mut self.couples else {
            let [c_x, c_y, c_z] = moment;
            s.part(members, a, b, [d[0], d[1], d[2], c_x, c_y, c_z]);
            return;
        };
        let before = load3(s, &couples.couple, part);
        let mut wanted = couple;
        for k in 0..3 {
            wanted[k] = s.select_f64s(open, zero, couple[k]);
        }
        store3(s, &mut couples.couple, part, &wanted);
        let turned = sub3(s, &wanted, &before);
        let [lever_a, lever_b] = &couples.inverse_lever;
        let (lever_a, lever_b) = (load(s, lever_a, part), load(s, lever_b, part));
        let [x, y, z] = add3(s, &moment, &scaled(s, &turned, lever_a));
        s.push(members, a, [d[0], d[1], d[2], x, y, z]);
        let [x, y, z] = sub3(s, &moment, &scaled(s, &turned, lever_b));
        let [p, q, r] = sub3(s, &[zero; 3], &d);
        s.push(members, b, [p, q, r, x, y, z]);
        let mass = load(s, &couples.turning_mass, part);
        add_to(s, changes, part, s.div_f64s(dot(s, &turned, &turned), mass));
    }
}

impl<S: Lanes> Tangent<S> {
    /// Friction and couples together, `Plane` lane by lane; the tangential impulse and the couple.
    #[inline(always)]
    fn with_couples(
        &self,
        s: S,
        couples: &Couples,
        spin: &Lane3<S>,
        part: usize,
    ) -> (Lane3<S>, Lane3<S>) {
        let (zero, one) = (s.splat_f64s(0.0), s.splat_f64s(1.0));
        let Self { n, pressed, .. } = self;
        let rolling = load(s, &couples.rolling, part);
        let couple = load3(s, &couples.couple, part);
        let turning_mass = load(s, &couples.turning_mass, part);
        let a = s.div_f64s(one, self.mass);
        let beta = load(s, &couples.coupling, part);
        let c = s.div_f64s(one, turning_mass);
        let (u, w) = (self.slip, cross(s, n, spin));
        let (r, t) = (self.tangential, cross(s, n, &couple));
        let bound_r = s.mul_f64s(self.friction, *pressed);
        let bound_s = s.mul_f64s(rolling, *pressed);
        // Where nothing couples the two.
        let mut new_r = r;
        let mut new_s = t;
        for k in 0..3 {
            new_r[k] = s.sub_f64s(r[k], s.mul_f64s(u[k], self.mass));
            new_s[k] = s.sub_f64s(t[k], s.mul_f64s(w[k], turning_mass));
        }
        let mut new_r = clamped(s, &new_r, bound_r);
        let mut new_s = clamped(s, &new_s, bound_s);
        // Without rolling friction there is nothing to be coupled with.
        let alone = s.equal_f64s(rolling, zero);
        let change = scaled(s, &self.slip, self.mass);
        select3(s, alone, &sub3(s, &r, &change), &mut new_r);
        select3(s, alone, &[zero; 3], &mut new_s);
        let done = s.or_m64s(s.equal_f64s(beta, zero), s.or_m64s(alone, self.open));
        let left = s.not_m64s(done);
        if any(s, left) {
            let coupled = Coupled {
                n: *n,
                matrix: [a, beta, c],
                masses: [self.mass, turning_mass],
                present: [u, w],
                bounds: [bound_r, bound_s],
            };
            let [with_r, with_s] = coupled.solve(s, &[r, t], left);
            select3(s, left, &with_r, &mut new_r);
            select3(s, left, &with_s, &mut new_s);
        }
        // Torsion.
        let torsion = load(s, &couples.torsion, part);
        let about = s.mul_f64s(turning_mass, dot(s, spin, n));
        let wanted = s.sub_f64s(dot(s, &couple, n), about);
        let bound = s.mul_f64s(torsion, *pressed);
        let least = s.neg_f64s(bound);
        let low = s.select_f64s(s.less_than_f64s(wanted, least), least, wanted);
        let held = s.select_f64s(s.greater_than_f64s(wanted, bound), bound, low);
        let couple_n = s.select_f64s(s.equal_f64s(torsion, zero), zero, held);
        let turned = cross(s, n, &new_s);
        let mut couple = turned;
        for k in 0..3 {
            couple[k] = s.add_f64s(s.neg_f64s(turned[k]), s.mul_f64s(n[k], couple_n));
        }
        (new_r, couple)
    }
}

/// `x`, scaled down to the bound where it is longer.
#[inline(always)]
fn clamped<S: Lanes>(s: S, x: &Lane3<S>, bound: Lane<S>) -> Lane3<S> {
    let size = s.sqrt_f64s(dot(s, x, x));
    let long = s.greater_than_f64s(size, bound);
    let scale = s.select_f64s(long, s.div_f64s(bound, size), s.splat_f64s(1.0));
    scaled(s, x, scale)
}

/// Whether `|x|` is within the bound.
#[inline(always)]
fn within<S: Lanes>(s: S, x: &Lane3<S>, bound: Lane<S>) -> S::m64s {
    s.less_than_or_equal_f64s(s.sqrt_f64s(dot(s, x, x)), bound)
}

/// The point of the rim where `matrix x + constant` points against x, with `constant = own − other share`; and whether the solution
/// without a bound lies beyond the rim.
#[inline(always)]
fn on_rim<S: Lanes>(
    s: S,
    (own, other, share): (&Lane3<S>, &Lane3<S>, Lane<S>),
    matrix: Lane<S>,
    bound: Lane<S>,
) -> (Lane3<S>, S::m64s) {
    let constant = sub3(s, own, &scaled(s, other, share));
    let size = s.sqrt_f64s(dot(s, &constant, &constant));
    let beyond = s.greater_than_f64s(size, s.mul_f64s(matrix, bound));
    let scale = s.div_f64s(s.neg_f64s(bound), size);
    (scaled(s, &constant, scale), beyond)
}

/// What does not slip where the other does: `−(constant + other β) mass`.
#[inline(always)]
fn answer<S: Lanes>(
    s: S,
    (constant, beta, mass): (&Lane3<S>, Lane<S>, Lane<S>),
    other: &Lane3<S>,
) -> Lane3<S> {
    let mut x = *constant;
    for k in 0..3 {
        let sum = s.add_f64s(constant[k], s.mul_f64s(other[k], beta));
        x[k] = s.mul_f64s(s.neg_f64s(sum), mass);
    }
    x
}

/// Whether it is so in some lane.
#[inline(always)]
fn any<S: Lanes>(s: S, mask: S::m64s) -> bool {
    let (zero, one) = (s.splat_f64s(0.0), s.splat_f64s(1.0));
    s.reduce_sum_f64s(s.select_f64s(mask, one, zero)) != 0.0
}

/// [`Plane`](crate::law::couples) where friction and rolling friction are coupled, lane by lane.
struct Coupled<S: Lanes> {
    n: Lane3<S>,
    matrix: [Lane<S>; 3],
    masses: [Lane<S>; 2],
    present: [Lane3<S>; 2],
    bounds: [Lane<S>; 2],
}

impl<S: Lanes> Coupled<S> {
    /// The new r and s of the lanes in `left`.
    #[inline(always)]
    fn solve(&self, s: S, now: &[Lane3<S>; 2], mut left: S::m64s) -> [Lane3<S>; 2] {
        let [a, beta, c] = self.matrix;
        let [u, w] = &self.present;
        let [r, t] = now;
        let [mass, inertia] = self.masses;
        let [bound_r, bound_s] = self.bounds;
        // Neither slips.
        let beta2 = s.mul_f64s(beta, beta);
        let det = s.sub_f64s(s.mul_f64s(a, c), beta2);
        let inverse_det = s.div_f64s(s.splat_f64s(1.0), det);
        let mut both = *now;
        let (mut b_u, mut b_w) = (*u, *w);
        for k in 0..3 {
            let of_r = s.sub_f64s(s.mul_f64s(u[k], c), s.mul_f64s(w[k], beta));
            let of_s = s.sub_f64s(s.mul_f64s(w[k], a), s.mul_f64s(u[k], beta));
            both[0][k] = s.sub_f64s(r[k], s.mul_f64s(of_r, inverse_det));
            both[1][k] = s.sub_f64s(t[k], s.mul_f64s(of_s, inverse_det));
            let of_a = s.sub_f64s(u[k], s.mul_f64s(r[k], a));
            b_u[k] = s.sub_f64s(of_a, s.mul_f64s(t[k], beta));
            let of_b = s.sub_f64s(w[k], s.mul_f64s(r[k], beta));
            b_w[k] = s.sub_f64s(of_b, s.mul_f64s(t[k], c));
        }
        let [mut new_r, mut new_s] = both;
        let fits = s.and_m64s(within(s, &both[0], bound_r), within(s, &both[1], bound_s));
        left = s.and_m64s(left, s.not_m64s(fits));
        if !any(s, left) {
            return [new_r, new_s];
        }
        // The one sticks, the other slips.
        let (rolls, beyond) = on_rim(
            s,
            (&b_w, &b_u, s.mul_f64s(beta, mass)),
            s.sub_f64s(c, s.mul_f64s(beta2, mass)),
            bound_s,
        );
        let answering = answer(s, (&b_u, beta, mass), &rolls);
        let fits = s.and_m64s(beyond, within(s, &answering, bound_r));
        let these = s.and_m64s(left, fits);
        select3(s, these, &answering, &mut new_r);
        select3(s, these, &rolls, &mut new_s);
        left = s.and_m64s(left, s.not_m64s(fits));
        let (slides, beyond) = on_rim(
            s,
            (&b_u, &b_w, s.mul_f64s(beta, inertia)),
            s.sub_f64s(a, s.mul_f64s(beta2, inertia)),
            bound_r,
        );
        let answering = answer(s, (&b_w, beta, inertia), &slides);
        let fits = s.and_m64s(beyond, within(s, &answering, bound_s));
        let these = s.and_m64s(left, fits);
        select3(s, these, &slides, &mut new_r);
        select3(s, these, &answering, &mut new_s);
        left = s.and_m64s(left, s.not_m64s(fits));
        if any(s, left) {
            let slip = BothSlip {
                n: self.n,
                constants: [b_u, b_w],
                beta,
                masses: self.masses,
                bounds: self.bounds,
            };
            let start = [clamped(s, &both[0], bound_r), clamped(s, &both[1], bound_s)];
            let [slip_r, slip_s] = slip.solve(s, start, left);
            select3(s, left, &slip_r, &mut new_r);
            select3(s, left, &slip_s, &mut new_s);
        }
        [new_r, new_s]
    }
}

/// Where both slip, lane by lane.
struct BothSlip<S: Lanes> {
    n: Lane3<S>,
    constants: [Lane3<S>; 2],
    beta: Lane<S>,
    masses: [Lane<S>; 2],
    bounds: [Lane<S>; 2],
}

impl<S: Lanes> BothSlip<S> {
    /// The new r and s of the lanes in `left`.
    #[inline(always)]
    fn solve(&self, s: S, start: [Lane3<S>; 2], mut left: S::m64s) -> [Lane3<S>; 2] {
        let zero = s.splat_f64s(0.0);
        let (half, rounding) = (s.splat_f64s(0.5), s.splat_f64s(1e-15));
        let [b_u, b_w] = &self.constants;
        let [bound_r, bound_s] = self.bounds;
        let [mut r, mut t] = start;
        for _ in 0..PASSES {
            let free = answer(s, (b_u, self.beta, self.masses[0]), &t);
            select3(s, left, &clamped(s, &free, bound_r), &mut r);
            let free = answer(s, (b_w, self.beta, self.masses[1]), &r);
            select3(s, left, &clamped(s, &free, bound_s), &mut t);
            let (mut on_r, mut on_s) = (*b_u, *b_w);
            for k in 0..3 {
                on_r[k] = s.add_f64s(b_u[k], s.mul_f64s(t[k], self.beta));
                on_s[k] = s.add_f64s(b_w[k], s.mul_f64s(r[k], self.beta));
            }
            let (p, q) = (cross(s, &self.n, &r), cross(s, &self.n, &t));
            let (g_r, g_s) = (dot(s, &p, &on_r), dot(s, &q, &on_s));
            let h_rr = s.neg_f64s(dot(s, &r, &on_r));
            let h_ss = s.neg_f64s(dot(s, &t, &on_s));
            let h_rs = s.mul_f64s(self.beta, dot(s, &r, &t));
            let bound = s.mul_f64s(rounding, s.abs_f64s(h_rr));
            let small_r = s.less_than_or_equal_f64s(s.abs_f64s(g_r), bound);
            let bound = s.mul_f64s(rounding, s.abs_f64s(h_ss));
            let small_s = s.less_than_or_equal_f64s(s.abs_f64s(g_s), bound);
            left = s.and_m64s(left, s.not_m64s(s.and_m64s(small_r, small_s)));
            if !any(s, left) {
                break;
            }
            let det = s.sub_f64s(s.mul_f64s(h_rr, h_ss), s.mul_f64s(h_rs, h_rs));
            let turn_r = s.sub_f64s(s.mul_f64s(g_r, h_ss), s.mul_f64s(g_s, h_rs));
            let turn_r = s.div_f64s(s.neg_f64s(turn_r), det);
            let turn_s = s.sub_f64s(s.mul_f64s(g_s, h_rr), s.mul_f64s(g_r, h_rs));
            let turn_s = s.div_f64s(s.neg_f64s(turn_s), det);
            let mut turns = left;
            for x in [h_rr, h_ss, det] {
                turns = s.and_m64s(turns, s.greater_than_f64s(x, zero));
            }
            for x in [turn_r, turn_s] {
                turns = s.and_m64s(turns, s.less_than_f64s(s.abs_f64s(x), half));
            }
            select3(s, turns, &turned_to(s, &r, &p, turn_r, bound_r), &mut r);
            select3(s, turns, &turned_to(s, &t, &q, turn_s, bound_s), &mut t);
        }
        [r, t]
    }
}

/// `x + across turn`, scaled to a length; zero stays zero.
#[inline(always)]
fn turned_to<S: Lanes>(
    s: S,
    x: &Lane3<S>,
    across: &Lane3<S>,
    turn: Lane<S>,
    length: Lane<S>,
) -> Lane3<S> {
    let mut moved = *x;
    for k in 0..3 {
        moved[k] = s.add_f64s(x[k], s.mul_f64s(across[k], turn));
    }
    let size = s.sqrt_f64s(dot(s, &moved, &moved));
    let nothing = s.equal_f64s(size, s.splat_f64s(0.0));
    let scale = s.select_f64s(nothing, s.splat_f64s(1.0), s.div_f64s(length, size));
    scaled(s, &moved, scale)
}

/// Puts `x` into `to` in some lanes.
#[inline(always)]
fn select3<S: Lanes>(s: S, mask: S::m64s, x: &Lane3<S>, to: &mut Lane3<S>) {
    for k in 0..3 {
        to[k] = s.select_f64s(mask, x[k], to[k]);
    }
}
