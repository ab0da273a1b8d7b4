//! States to write and to read: bodies whose ids have gaps, two contacts each, scattered over the ranks.

use moreau::body::{BodyId, BodyRow};
use moreau::comm::{Comm, threads};
use moreau::contact::{ContactKey, ContactRow};
use moreau::io::checkpoint::{self, Error, Loaded};
use moreau::io::{Header, Snapshot, WallRow};
use moreau::math::Fixed;
use moreau::measure::{Flow, Ledger, Triangle, WearRow, Worn};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub(crate) const RANKS: [usize; 5] = [1, 2, 3, 4, 8];

/// Body number `i`; ids ascend with gaps that grow.
pub(crate) fn body(i: u64) -> BodyRow {
    let x = i as f64;
    BodyRow {
        id: BodyId(3 + 2 * i + i * i / 50),
        position: [x.sqrt(), -1.0 / (x + 3.0), 1e-300 * x],
        velocity: [-0.0, x.sin(), 1e17 * x],
        orientation: [0.5, -0.5, 0.5, x.cos()],
        angular_velocity: [x, 2.0 * x, -3.0 / (1.0 + x)],
        angular_momentum: [0.0; 3],
        radius: 0.005 + 1e-9 * x,
        mass: 0.1 + 1e-9 * x,
        inertia: 0.2 + 1e-9 * x,
        image: [i as i64, -(i as i64), 0],
        material: (i % 65536) as u32,
        kind: (i % 256) as u32,
        shape: 0,
        reserved: 0,
        reference: moreau::body::Reference {
            position: [x, 0.5 - x, 1e-9 * x],
            radius: 0.005 + 2e-9 * x,
            allowance: 1e-4 * x,
            kind: (i % 5),
            ..Default::default()
        },
    }
}

/// Contact number `k` of `bodies`: with a later body, or with a wall.
pub(crate) fn contact(k: u64, bodies: u64) -> ContactRow {
    let a = k / 2;
    let b = if k.is_multiple_of(2) && a + 1 < bodies {
        body(a + 1).id
    } else {
        BodyId::wall((a % 3) as usize)
    };
    let x = k as f64;
    ContactRow {
        key: ContactKey {
            a: body(a).id,
            b,
            feature: 7 * (k % 2),
        },
        point: [x, 1.0 / (1.0 + x), -x],
        normal: [0.0, x.sin(), x.cos()],
        gap: -1e-6 * x,
        impulse: [1e-7 * x, 0.0, -x.sqrt()],
        couple_impulse: [0.0, x.tan(), 1.0],
        status: k % 3,
        state: moreau::law::State {
            bonded: k % 2,
            joint: moreau::law::bond::Joint {
                glue: [0, 1, 255][(k % 3) as usize],
                rest: -1e-7 * x,
            },
        },
    }
}

pub(crate) fn walls() -> Vec<WallRow> {
    let wall = |w: u32| {
        let x = f64::from(w);
        WallRow {
            reference_displacement: [0.5, -0.25, x],
            reference_orientation: [1.0, 0.0, 0.0, 0.0],
            allowance: 0.125,
            motion_time: 0.5 * x,
            motion_displacement: [x, 0.75, -x],
            motion_orientation: [0.0, 0.0, x, 1.0],
            axis_displacement: [x, 0.0, -x],
            axis_orientation: [0.0, x, 0.0, 1.0],
            displacement: [x, -x, 0.1],
            orientation: [0.0, 0.6, 0.8, x],
            velocity: [x; 3],
            angular_velocity: [-x; 3],
            couple_impulse: [0.5, x, 0.25],
            material: w,
            impulse: [x / 3.0, 0.0, -1.0],
        }
    };
    (0..3).map(wall).collect()
}

pub(crate) fn flows() -> Vec<Flow> {
    let flow = |k: u32| Flow {
        bodies: u64::from(k) << 33,
        mass: f64::from(k) / 7.0,
        waiting: u64::from(k) << 40,
    };
    (0..2).map(flow).collect()
}

/// The sums of some triangles, by wall and number.
pub(crate) fn wear() -> Vec<WearRow> {
    let row = |k: u64| WearRow {
        triangle: Triangle {
            wall: k / 5,
            number: 3 * (k % 5),
        },
        worn: Worn {
            normal_impulse: Fixed::new(k as f64 / 7.0),
            tangential_impulse: Fixed::new(1e-20 * k as f64),
            impact: Fixed::new(-0.3 * k as f64),
            sliding: Fixed::new(1e10 / (k as f64 + 1.0)),
        },
    };
    (0..13).map(row).collect()
}

pub(crate) fn header(step: u64) -> Header {
    Header {
        step,
        time: 0.1 * step as f64,
        dt: 0.1 / 3.0,
        seed: u64::MAX - 5,
        config: "title = \"Kies & Öl\"\n[time]\ndt = 1e-3\n".into(),
        ranks: 0,
        capped_steps: 17,
        rushed_steps: 11,
        deleted: 3,
        plastic: 23,
        judged: Some(true),
        next_id: 1 << 40,
        cell: None,
        wear_since: Some(0.05 * step as f64),
        ledger: Ledger::from_array(std::array::from_fn(|k| (k as f64 + 1.0) / 3.0)),
        provenance: "[[start]]\ncommand = [\"moreau\", \"run\", \"Kies & Öl.toml\"]\n".into(),
    }
}

/// What one rank has of a state of `count` bodies with two contacts each: bodies and contacts lie scattered over the ranks.
pub(crate) fn part(comm: &dyn Comm, step: u64, count: u64) -> Snapshot {
    let scatter = |i: u64| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) as usize % comm.size();
    let mine = |i: &u64| scatter(*i) == comm.rank();
    let contacts = 2 * count;
    Snapshot {
        header: header(step),
        bodies: (0..count).rev().filter(mine).map(body).collect(),
        contacts: (0..contacts)
            .filter(|k| mine(&(k + 1)))
            .map(|k| contact(k, count))
            .collect(),
        walls: walls(),
        flows: flows(),
        anchors: Vec::new(),
        wear: wear()
            .into_iter()
            .filter(|row| mine(&row.triangle.number))
            .collect(),
    }
}

pub(crate) fn write(dir: &Path, ranks: usize, step: u64, count: u64) -> PathBuf {
    let paths = threads::run(ranks, |comm| {
        checkpoint::write(comm, dir, &part(comm, step, count))
    });
    let mut paths: Vec<PathBuf> = paths.into_iter().map(|path| path.unwrap()).collect();
    paths.dedup();
    assert_eq!(paths.len(), 1);
    paths.remove(0)
}

/// What all ranks read, with contacts where they belong.
pub(crate) fn read(path: &Path, ranks: usize) -> Result<Loaded, Error> {
    let parts = threads::run(ranks, |comm| checkpoint::read(comm, path));
    let mut whole: Option<Loaded> = None;
    let mut errors = Vec::new();
    let mut sizes = Vec::new();
    for part in parts {
        let part = match part {
            Ok(part) => part,
            Err(e) => {
                errors.push(e);
                continue;
            }
        };
        sizes.push(part.bodies.len());
        let here: BTreeSet<_> = part.bodies.iter().map(|b| b.id).collect();
        assert!(part.contacts.iter().all(|c| here.contains(&c.key.a)));
        match &mut whole {
            None => whole = Some(part),
            Some(whole) => {
                assert_eq!((&part.header, &part.walls), (&whole.header, &whole.walls));
                whole.bodies.extend(part.bodies);
                whole.contacts.extend(part.contacts);
                whole.wear.extend(part.wear);
            }
        }
    }
    if let Some(error) = errors.pop() {
        assert!(
            errors.len() == ranks - 1 && errors.iter().all(|e| *e == error),
            "all ranks get the same error"
        );
        return Err(error);
    }
    let (least, most) = (sizes.iter().min().unwrap(), sizes.iter().max().unwrap());
    assert!(most - least <= 1, "equal shares, not {sizes:?}");
    Ok(whole.unwrap())
}

pub(crate) fn expected(step: u64, count: u64, ranks: usize) -> Loaded {
    let mut contacts: Vec<ContactRow> = (0..2 * count).map(|k| contact(k, count)).collect();
    contacts.sort_by_key(|contact| contact.key);
    Loaded {
        header: Header {
            ranks: ranks as u64,
            ..header(step)
        },
        bodies: (0..count).map(body).collect(),
        contacts,
        walls: walls(),
        flows: flows(),
        anchors: Vec::new(),
        wear: wear(),
    }
}
