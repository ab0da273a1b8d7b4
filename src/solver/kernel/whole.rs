//! The sweep through batches whose contacts have more than springs, one contact per lane.

use crate::law::{Impulse, Kind, Parts, answer};
use crate::math::real::{Three, add, cross, dot, scaled, sub};
use crate::solver::batch::{Batch, Couple, Eight, LANES, Line};
use crate::solver::kernel::now::velocity;
use crate::solver::lanes::{Lanes, Rows};
use crate::solver::vectors::{Columns, Lane, store3};

/// A batch with its parts.
pub(super) struct Whole<'a> {
    pub(super) batch: &'a mut Batch,
    pub(super) kind: Kind,
    /// The numbers of its parts, from the first on.
    pub(super) lines: &'a [Line],
    /// Its couple impulses, if its kind has them.
    pub(super) couple: Option<&'a mut Couple>,
}

impl Whole<'_> {
    /// Updates all its contacts.
    #[inline(always)]
    pub(super) fn update<S: Lanes, R: Rows + ?Sized>(
        &mut self,
        s: S,
        members: &mut R,
        changes: &mut Eight,
    ) {
        // A kind that is a constant costs no branches: one copy of the code for the commonest.
        match self.kind {
            Kind::COUPLES => self.update_kind(s, Kind::COUPLES, members, changes),
            kind => self.update_kind(s, kind, members, changes),
        }
    }

    #[inline(always)]
    fn update_kind<S: Lanes, R: Rows + ?Sized>(
        &mut self,
        s: S,
        kind: Kind,
        members: &mut R,
        changes: &mut Eight,
    ) {
        for part in (0..LANES).step_by(S::F64_LANES) {
            self.update_lanes(s, (kind, part), members, changes);
        }
    }

    #[inline(always)]
    fn update_lanes<S: Lanes, R: Rows + ?Sized>(
        &mut self,
        s: S,
        (kind, part): (Kind, usize),
        members: &mut R,
        changes: &mut Eight,
    ) {
        let zero = Lane::all(s, 0.0);
        let lanes = part..part + S::F64_LANES;
        let batch = &mut *self.batch;
        let [a, b] = batch.place;
        let (a, b) = (&a[lanes.clone()], &b[lanes]);
        let law = batch.law(s, part);
        let n = &law.normal;
        let r = Lane::load3(s, &batch.impulse, part);
        let lines = self.lines;
        let parts = Parts::read(
            kind,
            &Columns {
                simd: s,
                lines,
                part,
            },
        );
        let (of_a, of_b) = (s.columns(&*members, a), s.columns(&*members, b));
        let (spin_a, spin_b) = (three(s, &of_a, 3), three(s, &of_b, 3));
        let mut motion = of_a;
        let apart = sub(&three(s, &of_b, 0), &three(s, &of_a, 0));
        let both = add(&spin_b, &spin_a);
        for k in 0..3 {
            motion[k] = apart[k].register();
            motion[k + 3] = both[k].register();
        }
        let u = velocity(s, &motion, n);
        let mut now = Impulse {
            linear: r,
            couple: [zero; 3],
        };
        let mut spin = [zero; 3];
        if let Some(couples) = &parts.couples {
            spin = couples.relative_spin([&spin_a, &spin_b]);
        }
        if let Some(couple) = self.couple.as_deref() {
            now.couple = Lane::load3(s, &couple.0, part);
        }
        let wanted = answer(&law, &parts, &now, &u, &spin);
        let d = sub(&wanted.linear, &r);
        store3(&mut batch.impulse, part, &wanted.linear);
        (dot(&d, &d) / law.normal_mass).add_to(changes, part);
        let moment = cross(n, &d);
        let (Some(couples), Some(couple)) = (&parts.couples, self.couple.as_deref_mut()) else {
            s.part(members, a, b, six(&d, &moment));
            return;
        };
        store3(&mut couple.0, part, &wanted.couple);
        let turned = sub(&wanted.couple, &now.couple);
        let [lever_a, lever_b] = couples.inverse_lever;
        s.push(
            members,
            a,
            six(&d, &add(&moment, &scaled(&turned, lever_a))),
        );
        let back = sub(&[zero; 3], &d);
        s.push(
            members,
            b,
            six(&back, &sub(&moment, &scaled(&turned, lever_b))),
        );
        (dot(&turned, &turned) / couples.turning_mass).add_to(changes, part);
    }
}

/// Three of six columns.
#[inline(always)]
fn three<S: Lanes>(s: S, columns: &[S::f64s; 6], first: usize) -> Three<Lane<S>> {
    [
        Lane::new(s, columns[first]),
        Lane::new(s, columns[first + 1]),
        Lane::new(s, columns[first + 2]),
    ]
}

/// Six columns of two threes.
#[inline(always)]
fn six<S: Lanes>(a: &Three<Lane<S>>, b: &Three<Lane<S>>) -> [S::f64s; 6] {
    [
        a[0].register(),
        a[1].register(),
        a[2].register(),
        b[0].register(),
        b[1].register(),
        b[2].register(),
    ]
}
