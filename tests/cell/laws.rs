//! Laws, walls and exchanges that a cell under a stress goes together with.

use super::scene::{piston, plane};
use super::{lattice, pressed, springs};
use moreau::body::{Edge, Motion, Stress};
use moreau::law::Pair;
use moreau::law::bond::{Begin, Between, Four, Glue, Stiffness, Strength};
use moreau::solver::Exchange;

/// A bond of springs that nothing breaks, between balls that are nearer than 0.06 m at the start.
pub(crate) fn bond() -> Glue {
    let four = |all: f64| Four {
        normal: all,
        tangential: all,
        bending: all,
        twisting: all,
    };
    Glue {
        between: Between::Materials([0, 0]),
        begin: Begin::At(0.0),
        gap: 0.06,
        stiffness: Stiffness::Given(four(1e3)),
        strength: Strength::Each(four(f64::INFINITY)),
    }
}

/// Impacts, cohesion and bonds in a cell between stresses and a rate: the same bits on any ranks,
/// and contacts take what cell and bodies give.
#[test]
fn laws_act_in_a_cell_under_stress() {
    let impacts = Pair {
        restitution: 0.4,
        ..Pair::coulomb(0.3)
    };
    let cohesive = Pair {
        cohesion: 2.0,
        cohesion_range: 0.02,
        ..Pair::coulomb(0.3)
    };
    for (number, pair) in [impacts, cohesive, springs(0.3)].into_iter().enumerate() {
        let mut s = pressed(pair, false);
        if number == 2 {
            s.bonds = vec![bond()];
        }
        let whole = s.run(40);
        let bonded = whole.contacts.iter().filter(|row| row.state.is_joint());
        assert_eq!(bonded.count() > 0, number == 2, "{number}");
        let held = whole.done.last().unwrap().cell.unwrap().stress;
        assert!(held[0] > 1.0 && held[2] > 1.0, "{number}: {held:?}");
        for (ranks, threads) in [(2, 1), (3, 2), (8, 1)] {
            let other = s.run_on(ranks, threads, 40);
            let same = other.same_bits(&whole) && other.cell == whole.cell;
            assert!(same, "{number}: {ranks} ranks");
        }
        for (k, report) in whole.done.iter().enumerate() {
            let work = report.outcome.work;
            let error = work.taken() - work.driven - report.lost;
            let scale = work.taken().abs() + work.driven.abs() + report.lost.abs();
            assert!(
                error.abs() <= 1e-11 * scale + 1e-14,
                "{number}, {k}: {error:e}"
            );
        }
    }
}

/// Two edges hold their stresses while a piston holds its load, with one exchange a sweep too.
#[test]
fn a_piston_presses_in_a_cell_under_stress() {
    let mut s = lattice(6, 2.0, 0.0);
    s.periodic = [true, true, false];
    s.pair = Some(springs(0.3));
    s.dt = 0.05;
    let load = 1.7 * 144.0;
    s.walls = vec![
        plane(0.0, 1.0, Motion::Fixed),
        plane(12.0, -1.0, piston(10.0, load)),
    ];
    let [x, y] = [1.0, 2.5].map(|stress| Edge::Stress(Stress::constant(stress)));
    s.edges = Some([x, y, Edge::Fixed]);
    for (ranks, exchange) in [
        (1, Exchange::Phase),
        (3, Exchange::Phase),
        (3, Exchange::Sweep),
    ] {
        s.solver.exchange = exchange;
        let end = s.run_on(ranks, 1, 400);
        let of = end.done.last().unwrap().cell.unwrap();
        // The cell ends at the domain, whose height is fixed.
        for (found, stress) in of.stress.iter().zip([1.0, 2.5]) {
            let error = (found / stress - 1.0).abs();
            assert!(error < 1e-6, "{ranks} {exchange:?}: {found} {stress}");
        }
        let lid = end
            .contacts
            .iter()
            .filter(|row| row.key.b.wall_index() == Some(1));
        let pushed: f64 = lid.map(|row| row.impulse[2].abs() / s.dt).sum();
        assert!(
            (pushed / load - 1.0).abs() < 1e-6,
            "{ranks} {exchange:?}: {pushed}"
        );
    }
}
