//! Stress, fabric and forces of known contacts.

use super::*;
use crate::contact::ContactKey;
use crate::rng::{Purpose, Stream};
use crate::shape::Region;
use std::f64::consts::{PI, TAU};

fn window(region: Option<&Region>) -> Window {
    let (lower, upper) = (Vector3::zeros(), Vector3::repeat(10.0));
    Window::new(region, (&lower, &upper), [true; 3], false)
}

fn contact(point: Vector3, normal: Vector3, impulse: Vector3, b: BodyId) -> ContactRow {
    ContactRow {
        key: ContactKey {
            a: BodyId(0),
            b,
            feature: 0,
        },
        point: point.into(),
        normal: normal.into(),
        gap: 0.1,
        impulse: impulse.into(),
        status: Status::Sticking as u64,
        ..bytemuck::Zeroable::zeroed()
    }
}

const RADIUS: fn(BodyId, usize) -> Side = |id, _| Side::ball([1.0, 0.5][id.0 as usize]);

/// One contact: impulse times the branch, gap included; at a wall to the contact point only.
///
/// A box that a branch leaves half way has half of it, and the other half lies at the other end of
/// the period.
#[test]
fn one_contact() {
    let (x, z) = (Vector3::x(), Vector3::z());
    let at = Vector3::new(0.25, 5.0, 5.0);
    let one = contact(at, x, x * 3.0 + z, BodyId(1));
    // From −0.8 to 0.8 along x.
    let (from, to) = branch(&one, RADIUS);
    assert!((from - at + x * 1.05).norm() < 1e-15 && (to - at - x * 0.55).norm() < 1e-15);
    let values = |contacts: &[ContactRow], window: &Window| {
        branch_moments(contacts, window, RADIUS).map(|s| s.value())
    };
    let close = |a: [f64; 9], b: [f64; 9]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-14);
    let whole = [4.8, 0.0, 0.0, 0.0, 0.0, 0.0, 1.6, 0.0, 0.0];
    assert!(close(values(&[one], &window(None)), whole));
    let wall = contact(at, x, x * 3.0, BodyId::wall(0));
    assert!((values(&[wall], &window(None))[0] - 3.15).abs() < 1e-14);
    for (low, high) in [(0.0, 2.0), (8.0, 10.0)] {
        let half = Region::Box {
            lower: Vector3::new(low, 0.0, 0.0),
            upper: Vector3::new(high, 10.0, 10.0),
        };
        let told = values(&[one], &window(Some(&half)));
        assert!(close(told, whole.map(|s| 0.5 * s)), "{low}: {told:?}");
    }
    let open = ContactRow {
        status: Status::Open as u64,
        ..one
    };
    assert!(close(values(&[open], &window(None)), [0.0; 9]));
}

/// A face-centred lattice under hydrostatic load: fabric I/3, stress N f (2r)/(3V) I.
#[test]
fn an_isotropic_lattice() {
    let mut contacts = Vec::new();
    for (a, b) in [(0, 1), (0, 2), (1, 2)] {
        for signs in 0..4 {
            let mut n = Vector3::zeros();
            n[a] = if signs & 1 == 0 { 1.0 } else { -1.0 };
            n[b] = if signs & 2 == 0 { 1.0 } else { -1.0 };
            let n = n.normalize();
            contacts.push(contact(Vector3::repeat(5.0), n, n * 2.0, BodyId(1)));
        }
    }
    let (count, sums) = fabric(&contacts, &window(None));
    assert_eq!(count, 12);
    let third = |k: usize| if k < 3 { 4.0 } else { 0.0 };
    for (k, sum) in sums.iter().enumerate() {
        assert!((sum.value() - third(k)).abs() < 1e-14, "{k}");
    }
    let moments = branch_moments(&contacts, &window(None), RADIUS);
    for (k, sum) in moments.iter().enumerate() {
        let expected = if k % 4 == 0 {
            12.0 * 2.0 * 1.6 / 3.0
        } else {
            0.0
        };
        assert!(
            (sum.value() - expected).abs() < 1e-13,
            "{k}: {}",
            sum.value()
        );
    }
}

/// An exponential sample: mean, standard deviation, share below the mean, and bins.
///
/// Each is within five standard errors.
#[test]
fn forces_of_an_exponential_sample() {
    let n = 40_000;
    let mut draw = Stream::new(Purpose::Trial, 17, [0; 3]);
    let contacts: Vec<ContactRow> = (0..n)
        .map(|k| {
            let (f, turn) = (-0.7 * libm::log(1.0 - draw.unit()), TAU * draw.unit());
            let side = Vector3::new(libm::cos(turn), libm::sin(turn), 0.0);
            let impulse = Vector3::z() * f + side * (0.3 * f);
            let mut c = contact(Vector3::repeat(5.0), Vector3::z(), impulse, BodyId(1));
            c.status = if k % 4 == 0 {
                Status::Sliding
            } else {
                Status::Sticking
            } as u64;
            c
        })
        .collect();
    let (count, sums) = force_sums(&contacts, &window(None));
    let means = sums.map(|s| s.value() / count as f64);
    let many = f64::from(n);
    assert!((means[0] - 0.7).abs() < 5.0 * 0.7 / many.sqrt() && means[0] == means[1]);
    assert!((means[2] / means[0] - 0.3).abs() < 1e-12);
    let (counts, squares) = force_counts(&contacts, &window(None), means);
    // The standard deviation of an exponential is its mean; that of its estimate √(2/n) of it, the
    // kurtosis being 9.
    let deviation = (squares[0].value() / many).sqrt();
    assert!((deviation / 0.7 - 1.0).abs() < 5.0 * (2.0 / many).sqrt());
    assert_eq!(counts.sliding, 10_000);
    let below = 1.0 - libm::exp(-1.0);
    let error = |p: f64| 5.0 * (p * (1.0 - p) / many).sqrt() + 5.0 / many;
    assert!((counts.weak as f64 / many - below).abs() < error(below));
    for bins in [&counts.normal, &counts.tangential] {
        assert_eq!(bins.iter().sum::<i64>(), i64::from(n));
        assert_eq!(bins[0], 0);
        for (k, hits) in bins.iter().enumerate().skip(1) {
            let (low, high) = force_bin(k);
            let p = libm::exp(-low) - libm::exp(-high);
            assert!(
                (*hits as f64 / many - p).abs() < error(p),
                "bin {k}: {hits}"
            );
        }
    }
}

/// Forces on an edge of a bin, tensile forces, and no forces at all.
#[test]
fn edges_of_bins() {
    for k in 0..100 {
        let mut bins = vec![0; FORCE_BINS];
        count(&mut bins, k as f64 / 10.0, 1.0);
        assert_eq!(bins[1 + k], 1, "{k}");
    }
    let mut bins = vec![0; FORCE_BINS];
    for x in [-1e-9, 10.0, f64::MAX, 0.0] {
        count(&mut bins, x, 1.0);
    }
    assert_eq!((bins[0], bins[1], bins[101]), (1, 1, 2));
    count(&mut bins, 0.0, 0.0);
    assert_eq!(bins.iter().sum::<i64>(), 4);
    assert!(PI > force_bin(32).0 && PI < force_bin(32).1);
}
