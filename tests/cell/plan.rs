//! Contacts that the motion of the cell alone closes, and cells that deform too far for a step.

use super::laws::bond;
use super::scene::Scene;
use super::shear::shear;
use super::{rate, springs};
use moreau::body::Edge;
use moreau::law::bond::{Four, Glue, Stiffness};
use moreau::math::Vector3;
use moreau::scheme::StepError;

/// A cubic cell of 20 m with two balls of 1 m at rest, this gap apart across its end along x.
fn pair(gap: f64) -> Scene {
    let mut s = Scene::new([0.0; 3], [20.0; 3], 0.01);
    s.periodic = [true; 3];
    s.sphere([1.2, 10.0, 5.0], 1.0, 1.0);
    s.sphere([19.2 - gap, 10.0, 5.0], 1.0, 1.0);
    s
}

/// Balls at rest that the cell brings together within one step meet in that step: it moves their
/// images, or both of them.
#[test]
fn the_cell_brings_balls_together_in_time() {
    for (stands, gap, strain) in [(true, 0.3, 0.025), (false, 0.15, 0.08)] {
        let mut s = pair(gap);
        s.still_bodies = stands;
        s.edges = Some([rate(-strain / s.dt), Edge::Fixed, Edge::Fixed]);
        for ranks in [1, 2] {
            let end = s.run_on(ranks, 1, 1);
            let length = end.cell.unwrap().upper.x;
            assert!((length - 20.0 * (1.0 - strain)).abs() < 1e-12);
            let apart = length - (end.position(1).x - end.position(0).x).abs();
            assert_eq!(end.contacts.len(), 1, "{stands}: {apart} m apart");
            // Without the contact: 1.8 m with images, 1.978 m with both.
            assert!(apart > 2.0 - 1e-9, "{stands}: {apart}");
        }
    }
}

/// A step that strains the cell by more than a tenth is refused, and a cell that has become too
/// short for its balls, with the axis.
#[test]
fn cells_that_deform_too_far_are_refused() {
    let mut s = pair(5.0);
    s.edges = Some([rate(-11.0), Edge::Fixed, Edge::Fixed]);
    let error = s.try_run(1, 1, 1).unwrap_err();
    let strain = match error {
        StepError::CellTooFast {
            step: 1,
            strain,
            allowed: 0.1,
        } => strain,
        other => panic!("{other}"),
    };
    assert!((strain - 0.11).abs() < 1e-12);

    s.edges = Some([Edge::Fixed, Edge::Grows(-4.0), Edge::Fixed]);
    for ranks in [1, 3] {
        let error = s.try_run(ranks, 1, 100).unwrap_err();
        assert!(
            matches!(&error, StepError::CellTooShort { axis: 'y', .. }),
            "{error}"
        );
    }
}

/// A ball that is too fast is named in a cell that deforms too, not a wall.
#[test]
fn a_ball_that_is_too_fast_is_named_in_a_cell() {
    let mut s = pair(5.0);
    s.edges = Some([rate(-0.01), Edge::Fixed, Edge::Fixed]);
    s.bodies[1].velocity = [0.0, 2000.0, 0.0];
    for ranks in [1, 2] {
        let error = s.try_run(ranks, 1, 1).unwrap_err();
        assert!(matches!(error, StepError::TooFast { id: 1, .. }), "{error}");
    }
}

/// A bond that grows beyond the blocks is named as such in a cell too, not the cell's strain.
#[test]
fn a_bond_too_long_is_named_in_a_cell() {
    let mut s = pair(0.5);
    s.pair = Some(springs(0.0));
    let weak = Four {
        normal: 1.0,
        tangential: 1.0,
        bending: 1.0,
        twisting: 1.0,
    };
    s.bonds = vec![Glue {
        gap: 0.6,
        stiffness: Stiffness::Given(weak),
        ..bond()
    }];
    s.bodies[0].velocity = [50.0, 0.0, 0.0];
    s.edges = Some([rate(0.01), Edge::Fixed, Edge::Fixed]);
    for ranks in [1, 2] {
        let error = s.try_run(ranks, 1, 100).err();
        let named = matches!(&error, Some(StepError::BondTooLong { .. }));
        assert!(named, "{error:?}");
    }
}

/// A cell that is long along its shear keeps blocks wide enough for its balls at any shift.
#[test]
fn a_long_cell_is_sheared_through_its_period() {
    let mut s = Scene::new([0.0; 3], [64.0, 8.0, 8.0], 0.01);
    s.periodic = [true; 3];
    s.edges = Some([(); 3].map(|()| Edge::Fixed));
    s.shear = shear(0, 1, 8.0);
    for k in 0..8 {
        s.sphere(
            [8.0 * f64::from(k) + 1.0, 1.0 + 0.7 * f64::from(k), 4.0],
            1.0,
            1.0,
        );
    }
    // Strain 8, with images that pass half of the period once: 64 m on they are where they were.
    let end = s.run(100);
    let cell = end.cell.unwrap();
    assert!((cell.sheared - 8.0).abs() < 1e-9);
    assert!(cell.shear.unwrap().shift.abs() < 1e-9);
    assert!(end.contacts.is_empty());
    for (row, first) in end.bodies.iter().zip(&s.bodies) {
        let [now, then] = [row, first].map(|row| Vector3::from(row.position));
        let way = now.x - then.x - 8.0 * then.y;
        assert!(
            (way - 64.0 * (way / 64.0).round()).abs() < 1e-9,
            "{now} {then}"
        );
    }
    for ranks in [2, 8] {
        assert!(s.run_on(ranks, 1, 100).same_bits(&end), "{ranks} ranks");
    }
}
