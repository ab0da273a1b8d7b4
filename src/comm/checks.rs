//! Checks of every implementation of [`Comm`].
//!
//! The unit tests run them on threads, `tests/mpi_comm.rs` on processes. Each check is called on
//! all ranks; expected values come from formulas in the ranks' numbers.

use super::{Comm, ExactSum, agree, sum_exact};

/// All checks, each several times, so that leftovers of one meet the next.
pub(crate) fn all(comm: &dyn Comm) {
    for round in 0..3 {
        gathers_in_rank_order(comm, round);
        exchanges(comm, round);
        posts_and_receives(comm, round);
        expects(comm, round);
        reduces(comm, round);
        reduces_floats(comm);
        agrees(comm);
    }
    comm.barrier();
}

/// Bytes that depend on this key only; about a third of the keys give none, a few give many.
fn bytes_of(key: [usize; 3]) -> Vec<u8> {
    let mut x = 0x9e37_79b9_7f4a_7c15_u64;
    for k in key {
        x = (x ^ k as u64).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x ^= x >> 29;
    }
    let len = match x % 13 {
        0..4 => 0,
        4..11 => x % 97,
        // A whole number of pieces.
        11 => 256 * (x % 4),
        // Above the size up to which MPI libraries send without a handshake.
        _ => 60_000 + x % 80_000,
    };
    (0..len).map(|i| (x >> (i % 57)) as u8 ^ i as u8).collect()
}

fn numbers(from: usize, to: usize, round: usize, len: usize) -> Vec<f64> {
    let tag = (from * 1000 + to * 10 + round) as f64;
    (0..len).map(|i| tag + i as f64 / 1024.0).collect()
}

fn gathers_in_rank_order(comm: &dyn Comm, round: usize) {
    let all = comm.all_gather(&bytes_of([comm.rank(), 7, round]));
    let expected: Vec<_> = (0..comm.size()).map(|r| bytes_of([r, 7, round])).collect();
    assert!(all == expected, "all_gather of random sizes");
    let nothing = comm.all_gather(&[]);
    assert_eq!(nothing, vec![Vec::<u8>::new(); comm.size()]);
}

fn exchanges(comm: &dyn Comm, round: usize) {
    let (me, size) = (comm.rank(), comm.size());
    // (sender, receiver) -> whether it sends: nothing, only to itself, to all, a sparse pattern,
    // all to one.
    let patterns: [&dyn Fn(usize, usize) -> bool; 5] = [
        &|_, _| false,
        &|from, to| from == to,
        &|_, _| true,
        &|from, to| (from * 5 + to * 3 + round) % 4 == 1,
        &|_, to| to == round % size,
    ];
    for (number, goes) in patterns.iter().enumerate() {
        let key = round * 10 + number;
        // In reverse order of ranks: the order of sending must not matter.
        let messages = (0..size).rev().filter(|&to| goes(me, to));
        let here = comm.exchange(messages.map(|to| (to, bytes_of([me, to, key]))).collect());
        let senders = (0..size).filter(|&from| goes(from, me));
        let expected: Vec<_> = senders
            .map(|from| (from, bytes_of([from, me, key])))
            .collect();
        assert!(
            here == expected,
            "exchange {number} in round {round} on rank {me}"
        );
    }
}

fn posts_and_receives(comm: &dyn Comm, round: usize) {
    let (me, size) = (comm.rank(), comm.size());
    let others = || (0..size).filter(|&r| r != me);
    let lengths = [3, 0, 20_000, 1];
    for to in others() {
        for (number, &len) in lengths.iter().enumerate() {
            comm.post(to, &numbers(me, to, number, len));
        }
    }
    // Another method in between must neither see these messages nor lose them.
    gathers_in_rank_order(comm, round);
    comm.exchange(vec![((me + 1) % size, vec![1])]);
    for from in others().collect::<Vec<_>>().into_iter().rev() {
        for (number, &len) in lengths.iter().enumerate() {
            let mut data = vec![f64::NAN; len];
            comm.receive(from, &mut data);
            assert!(
                data == numbers(from, me, number, len),
                "message {number} of {from} to {me}"
            );
        }
    }
    // A ring in which no rank waits for all.
    if size > 1 {
        let (next, last) = ((me + 1) % size, (me + size - 1) % size);
        let mut token = [me as f64];
        for _ in 0..size {
            comm.post(next, &token);
            comm.receive(last, &mut token);
            token[0] += 1.0;
        }
        assert_eq!(token[0], (me + size) as f64, "a token that went round once");
    }
}

/// Expected and unexpected messages of all sizes between all pairs arrive in the order of posting.
///
/// Neither the order of expecting nor other work at both ends changes it.
fn expects(comm: &dyn Comm, round: usize) {
    let (me, size) = (comm.rank(), comm.size());
    let lengths = [0, 3, 40_000 + round, 7];
    let others = || (0..size).filter(|&other| other != me);
    // Expects the first two before the sends, the third after them, the last never.
    for from in others() {
        lengths[..2].iter().for_each(|&len| comm.expect(from, len));
    }
    for to in others() {
        lengths
            .iter()
            .for_each(|&len| comm.post(to, &numbers(me, to, round, len)));
    }
    for from in others() {
        comm.expect(from, lengths[2]);
    }
    (0..20).for_each(|_| comm.progress());
    for len in lengths {
        for from in others() {
            let mut data = vec![f64::NAN; len];
            comm.receive(from, &mut data);
            assert!(
                data == numbers(from, me, round, len),
                "{len} numbers from {from}"
            );
        }
    }
}

fn reduces(comm: &dyn Comm, round: usize) {
    let (me, size) = (comm.rank() as i64, comm.size() as i64);
    let mut sum = [1, me, -me * me, i64::MAX, round as i64];
    comm.sum_i64(&mut sum);
    let gauss = size * (size - 1) / 2;
    let squares = (size - 1) * size * (2 * size - 1) / 6;
    // The fourth wraps.
    let wrapped = i64::MAX.wrapping_mul(size);
    assert_eq!(sum, [size, gauss, -squares, wrapped, size * round as i64]);
    comm.sum_i64(&mut []);

    let mut max = [me, -me, i64::MIN, if me == size / 2 { i64::MAX } else { 0 }];
    comm.max_i64(&mut max);
    assert_eq!(max, [size - 1, 0, i64::MIN, i64::MAX]);

    assert_eq!(comm.sum_count(comm.rank() + 1), (gauss + size) as u64);
    assert!(comm.any(me == size - 1));
    assert!(!comm.any(false));
}

fn reduces_floats(comm: &dyn Comm) {
    let (me, size) = (comm.rank() as f64, comm.size() as f64);
    assert_eq!(comm.max_f64(-1.5 - me), -1.5);
    assert_eq!(comm.max_f64(me / 3.0), (size - 1.0) / 3.0);
    let mut many = [-1.5 - me, me / 3.0, f64::NEG_INFINITY];
    comm.max_f64s(&mut many);
    assert_eq!(many, [-1.5, (size - 1.0) / 3.0, f64::NEG_INFINITY]);
    let with_nan = if comm.rank() == comm.size() - 1 {
        f64::NAN
    } else {
        f64::INFINITY
    };
    assert!(comm.max_f64(with_nan).is_nan());

    // 1e100 and its negative on different ranks (or the same) cancel exactly.
    let mut sum = ExactSum::default();
    sum.add(0.1);
    if comm.rank() == 0 {
        sum.add(1e100);
    }
    if comm.rank() == comm.size() - 1 {
        sum.add(-1e100);
    }
    let mut serial = ExactSum::default();
    (0..comm.size()).for_each(|_| serial.add(0.1));
    let mut sums = [sum];
    sum_exact(comm, &mut sums);
    assert_eq!(sums[0].value().to_bits(), serial.value().to_bits());
}

fn agrees(comm: &dyn Comm) {
    let (me, size) = (comm.rank(), comm.size());
    let fails = |which: &dyn Fn(usize) -> bool| -> Result<usize, String> {
        let here = if which(me) {
            Err(format!("no luck on {me}"))
        } else {
            Ok(me)
        };
        agree(comm, here)
    };
    assert_eq!(fails(&|_| false), Ok(me));
    for culprit in 0..size {
        assert_eq!(
            fails(&|r| r == culprit),
            Err(format!("no luck on {culprit}"))
        );
        let two = fails(&|r| r == culprit || r == size - 1);
        assert_eq!(
            two,
            Err(format!("no luck on {culprit}")),
            "the lower of two"
        );
    }
    assert_eq!(
        agree(comm, Err::<(), String>(String::new())),
        Err("?".to_owned())
    );
}
