//! Pairs across the ends of a cell whose images simple shear has moved.

use super::*;
use crate::shape::Shear;

/// As by all images, for any axes, shifts, sizes, and margins.
#[test]
fn pairs_across_moved_images_as_by_all_images() {
    let mut across = 0;
    for trial in 0..300 {
        let mut draw = Stream::new(Purpose::Trial, 13, [trial, 0, 0]);
        let n = draw.below(150) as usize;
        let upper = Vector3::from([0; 3].map(|_| draw.between(4.8, 14.0)));
        let lower = Vector3::from([0; 3].map(|_| draw.between(-10.0, 10.0)));
        let along = draw.below(3) as usize;
        let shear = Shear {
            along,
            across: (along + 1 + draw.below(2) as usize) % 3,
            shift: draw.between(-0.5, 0.5) * upper[along],
        };
        let plain = Period::of_box(&lower, &(upper + lower), [true; 3]);
        let period = plain.sheared(Some(shear));
        let x: Vec<Vector3> = (0..n)
            .map(|_| lower + upper.map(|length| draw.unit() * length))
            .collect();
        let least = [0.2, 0.02][draw.below(2) as usize];
        let r: Vec<f64> = (0..n).map(|_| draw.between(least, 1.0)).collect();
        let margin = draw.between(0.0, 0.2);
        let mut expected = BTreeSet::new();
        for i in 0..n {
            for j in i + 1..n {
                for image in 0..75 {
                    let steps = [image % 5 - 2, image / 5 % 5 - 2, image / 25 - 1].map(f64::from);
                    let mut turns = steps;
                    // Two periods along the shear suffice: one of it, one of the shift.
                    (turns[0], turns[shear.along]) = (steps[shear.along], steps[0]);
                    let mut way = upper.component_mul(&Vector3::from(turns));
                    way[shear.along] += turns[shear.across] * shear.shift;
                    if (x[j] - x[i] + way).norm() < r[i] + r[j] + margin {
                        expected.insert((i, j));
                        across += usize::from(turns[shear.across] != 0.0);
                    }
                }
            }
        }
        assert_eq!(found(&x, &r, margin, &period), expected, "trial {trial}");
    }
    assert!(across > 1000, "{across}");
}
