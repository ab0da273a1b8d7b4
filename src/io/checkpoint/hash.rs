//! Hashes of the content of a checkpoint, and of a state of bodies.
//!
//! Each is the wrapping sum of one 64-bit hash (XXH64) per row, and so does not depend on the
//! number of ranks or on their order. The row's number, or its id, is hashed with the row, so that
//! two rows exchanged change the sum.

use crate::body::BodyRow;
use crate::comm::Comm;
use crate::io::Header;
use crate::measure::Ledger;
use twox_hash::XxHash64;

/// The hash of some rows of a dataset, those from `first` on.
///
/// The hash of the dataset is the wrapping sum over its parts.
pub(super) fn of_rows(first: u64, row_bytes: usize, bytes: &[u8]) -> u64 {
    let row = |(k, row): (usize, &[u8])| XxHash64::oneshot(first + k as u64, row);
    bytes
        .chunks_exact(row_bytes)
        .enumerate()
        .map(row)
        .fold(0, u64::wrapping_add)
}

/// The first version with the number of collisions without rebound.
pub(super) const PLASTIC: u32 = 8;

/// The number of energies in a file of a version: version 6 lacks those of fracture and prestress.
pub(super) fn energies_of(version: u32) -> usize {
    Ledger::NAMES.len() - 2 * usize::from(version < 7)
}

/// The hash of a whole checkpoint: the header, and each dataset's path, rows, and hash.
///
/// Two runs in the same state have the same hash, on any number of ranks.
pub(super) fn of_content<'a>(
    version: u32,
    header: &Header,
    datasets: impl Iterator<Item = (&'a str, u64, u64)>,
) -> u64 {
    let mut bytes = Vec::new();
    let mut number = |bits: u64| bytes.extend_from_slice(&bits.to_le_bytes());
    number(version.into());
    number(header.step);
    number(header.time.to_bits());
    number(header.dt.to_bits());
    number(header.seed);
    number(header.capped_steps);
    number(header.rushed_steps);
    number(header.deleted);
    number(header.next_id);
    if version >= PLASTIC {
        number(header.plastic);
    }
    let energies = header.ledger.to_array();
    let known = &energies[..energies_of(version)];
    known.iter().for_each(|energy| number(energy.to_bits()));
    if let Some(cell) = &header.cell {
        let all = cell.to_array();
        all.iter().for_each(|x| number(x.to_bits()));
    }
    if let Some(judged) = header.judged {
        number(judged.into());
    }
    if let Some(since) = header.wear_since {
        number(since.to_bits());
    }
    number(XxHash64::oneshot(0, header.config.as_bytes()));
    for (path, rows, hash) in datasets {
        number(XxHash64::oneshot(0, path.as_bytes()));
        number(rows);
        number(hash);
    }
    XxHash64::oneshot(0, &bytes)
}

/// A hash as it is printed in files and logs.
pub(super) fn to_text(hash: u64) -> String {
    format!("{hash:016x}")
}

/// A hash of step, time, and all ranks' bodies, to the bit. Collective.
///
/// It covers ids, positions, orientations, velocities and angular velocities. It is the same on any
/// number of ranks and for any distribution of the bodies.
#[must_use]
pub fn state_hash(comm: &dyn Comm, step: u64, time: f64, bodies: &[BodyRow]) -> u64 {
    let body = |body: &BodyRow| {
        let mut bytes = Vec::with_capacity(14 * 8);
        bytes.extend_from_slice(&body.id.0.to_le_bytes());
        let turning = body
            .orientation
            .iter()
            .chain(&body.velocity)
            .chain(&body.angular_velocity);
        for number in body.position.iter().chain(turning) {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        XxHash64::oneshot(0, &bytes)
    };
    let mut sum = [
        bodies.iter().map(body).fold(0, u64::wrapping_add) as i64,
        bodies.len() as i64,
    ];
    comm.sum_i64(&mut sum);
    let whole = [step, time.to_bits(), sum[1] as u64, sum[0] as u64]
        .map(u64::to_le_bytes)
        .concat();
    XxHash64::oneshot(0, &whole)
}
