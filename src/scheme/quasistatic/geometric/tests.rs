//! The change of the forces of a contact against central differences.

use super::super::unknowns::{Push, Shift};
use super::*;
use crate::contact::{Neighbours, Partner};
use crate::detect::touch_of_balls;
use crate::law::Status;
use crate::law::bond::{Four, Joint};
use crate::law::elastic::{Carried, Elastic};
use crate::math::Vector3;
use crate::shape::Period;

/// Radii of the two balls.
const RADII: [f64; 2] = [1.0, 0.7];

/// A contact of balls with these centres that sticks and carries a force across it.
fn contact(centres: &[Vector3; 2], shear: Vector3) -> Link {
    let elastic = Elastic {
        stiffness: Four {
            normal: 1.0,
            tangential: 0.5,
            bending: 0.3,
            twisting: 0.2,
        },
        rest: 0.0,
        friction: 1e3,
        arms: [1e3; 2],
        glued: false,
    };
    let touch = touched(centres);
    let n = touch.normal;
    Link {
        pair: Neighbours {
            first: 0,
            second: 1,
        },
        partner: Partner::Body(1),
        radii: RADII,
        elastic,
        joint: Joint::default(),
        normal: n,
        gap: touch.gap,
        feature: 0,
        carried: Carried {
            force: n * elastic.normal(touch.gap) + shear - n * n.dot(&shear),
            status: Status::Sticking,
            ..Carried::default()
        },
        carried_before: true,
    }
}

fn touched([a, b]: &[Vector3; 2]) -> crate::contact::Touch {
    touch_of_balls((a, RADII[0]), (b, RADII[1]), &Period::default())
}

/// The derivative of the pushes on both balls along a motion, by central differences.
fn differences(link: &Link, centres: &[Vector3; 2], shifts: &[Shift; 2]) -> [Push; 2] {
    const STEP: f64 = 1e-5;
    let pushes = |sign: f64| {
        let small = shifts.map(|shift| Shift {
            way: shift.way * (sign * STEP),
            turn: shift.turn * (sign * STEP),
        });
        let after = [0, 1].map(|k| centres[k] + small[k].way);
        let mut link = *link;
        link.follow(
            |link| link.motion([&small[0], &small[1]]),
            &touched(&after),
            true,
        );
        link.carries()
    };
    let [more, less] = [pushes(1.0), pushes(-1.0)];
    [0, 1].map(|k| Push {
        force: (more[k].force - less[k].force) / (2.0 * STEP),
        moment: (more[k].moment - less[k].moment) / (2.0 * STEP),
    })
}

/// The stiffness with its geometric part has all changes of the normal force.
///
/// The rest is that of the friction T: with `ψ = n·(φ_a + φ_b)/2` it turns by
/// `T' = ψ n × T − n (T·dn)`, and moments change by `−l n × T' − l dn × T − (dg/2) n × T`.
#[test]
fn f11_forces_change_as_the_geometric_stiffness_says() {
    let centres = [Vector3::new(0.1, -0.2, 0.3), Vector3::new(1.2, 0.7, 1.05)];
    let unit = |at: usize| {
        let mut of = [0.0; 12];
        of[at] = 1.0;
        let half = |from: usize| Shift::from_array(std::array::from_fn(|k| of[from + k]));
        [half(0), half(6)]
    };
    for (shear, small) in [
        (Vector3::zeros(), 1e-15),
        (Vector3::new(0.02, -0.05, 0.03), 0.1),
    ] {
        let link = contact(&centres, shear);
        let (n, gap) = (link.normal, link.gap);
        assert!(gap < -0.03, "{gap}");
        let turning = turning(&link).expect("it presses");
        let distance = (centres[1] - centres[0]).norm();
        let friction = link.carried.force - n * n.dot(&link.carried.force);
        for shifts in (0..12).map(unit) {
            let motion = link.motion([&shifts[0], &shifts[1]]);
            let added = link.tangent(true).added(&motion.slip, &motion.turn);
            let way = shifts[1].way - shifts[0].way;
            let turned = turning * way;
            let mut expected = link.pushes(&added);
            expected[0].force -= turned;
            expected[1].force += turned;
            let opening = way.dot(&n);
            let dn = (way - n * opening) / distance;
            let spun = n.cross(&friction) * motion.mean.dot(&n) - n * friction.dot(&dn);
            let found = differences(&link, &centres, &shifts);
            for k in [0, 1] {
                let arm = RADII[k] + 0.5 * gap;
                let sign = [-1.0, 1.0][k];
                let rest = Push {
                    force: spun * sign,
                    moment: -n.cross(&spun) * arm
                        - dn.cross(&friction) * arm
                        - n.cross(&friction) * (0.5 * opening),
                };
                assert!(rest.force.norm() <= small && rest.moment.norm() <= small);
                let off = [
                    found[k].force - expected[k].force - rest.force,
                    found[k].moment - expected[k].moment - rest.moment,
                ];
                assert!(
                    off.iter().all(|off| off.norm() < 1e-8),
                    "{shifts:?} {off:?}"
                );
            }
        }
    }
}
