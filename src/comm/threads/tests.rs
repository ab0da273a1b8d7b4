//! Ranks as threads: the common checks, and ranks that fail, leave early or misbehave.

use std::time::{Duration, Instant};

use super::*;
use crate::comm::checks;

/// Runs work that must panic, and returns the message of the panic.
///
/// Fails if the panic takes longer than a few seconds or does not occur.
fn message(ranks: usize, work: impl Fn(&dyn Comm) + Sync) -> String {
    let start = Instant::now();
    let payload = catch_unwind(AssertUnwindSafe(|| run(ranks, work))).expect_err("a panic");
    assert!(
        start.elapsed() < Duration::from_secs(10),
        "took {:?}",
        start.elapsed()
    );
    let text = payload.downcast_ref::<String>().cloned();
    text.or_else(|| payload.downcast_ref::<&str>().map(|s| (*s).to_owned()))
        .expect("a message")
}

#[test]
fn every_method_on_1_2_3_4_8_ranks() {
    for ranks in [1, 2, 3, 4, 8] {
        let results = run(ranks, |comm| {
            assert_eq!(comm.size(), ranks);
            checks::all(comm);
            assert!(comm.file_access().is_none());
            comm.rank() * comm.rank()
        });
        assert_eq!(
            results,
            (0..ranks).map(|r| r * r).collect::<Vec<_>>(),
            "in rank order"
        );
    }
}

#[test]
fn every_method_on_the_serial_rank() {
    checks::all(&Serial);
    assert_eq!((Serial.rank(), Serial.size()), (0, 1));
}

#[test]
fn a_panic_ends_all_ranks_wherever_they_wait() {
    for ranks in [2, 3, 4, 8] {
        let text = message(ranks, |comm| match comm.rank() {
            1 => {
                std::thread::sleep(Duration::from_millis(50));
                panic!("the rock rolled back")
            }
            r if r % 2 == 0 => comm.receive(1, &mut [0.0]),
            _ => comm.barrier(),
        });
        assert_eq!(text, "the rock rolled back");
    }
}

#[test]
fn the_first_of_two_panics_is_the_one_reported() {
    let text = message(3, |comm| {
        if comm.rank() == 2 {
            panic!("first");
        }
        comm.barrier();
    });
    assert_eq!(text, "first");
}

#[test]
fn abort_ends_all_ranks_with_its_status() {
    let work = |comm: &dyn Comm| {
        if comm.rank() == 1 {
            comm.abort(3);
        }
        comm.barrier();
    };
    let payload = catch_unwind(AssertUnwindSafe(|| run(3, work))).expect_err("a panic");
    assert_eq!(
        payload.downcast_ref::<Aborted>(),
        Some(&Aborted { status: 3 })
    );
}

#[test]
fn a_message_or_a_rank_that_cannot_come_is_not_waited_for() {
    let text = message(3, |comm| {
        if comm.rank() == 0 {
            comm.receive(1, &mut [0.0]);
        }
    });
    assert_eq!(
        text,
        "rank 0 waits for a message from rank 1, but rank 1 has returned"
    );

    let text = message(2, |comm| {
        if comm.rank() == 0 {
            comm.barrier();
        }
    });
    assert_eq!(text, "rank 0 waits in barrier, but rank 1 has returned");

    let text = message(3, |comm| match comm.rank() {
        0 => comm.barrier(),
        r => comm.receive(3 - r, &mut [0.0]),
    });
    assert_eq!(
        text,
        "no rank can go on: rank 0 waits in barrier, rank 1 waits for a message from rank 2, \
         rank 2 waits for a message from rank 1"
    );
}

#[test]
fn what_has_been_posted_can_be_received_after_the_sender_has_returned() {
    let got = run(2, |comm| {
        let mut data = [0.0; 2];
        if comm.rank() == 0 {
            comm.post(1, &[4.0, 2.0]);
        } else {
            std::thread::sleep(Duration::from_millis(50));
            comm.receive(0, &mut data);
        }
        data
    });
    assert_eq!(got[1], [4.0, 2.0]);
}

#[test]
fn misuse_is_named() {
    let pair = |work: fn(&dyn Comm)| {
        message(2, move |comm| {
            if comm.rank() == 0 {
                work(comm)
            }
        })
    };
    let text = message(2, |comm| match comm.rank() {
        0 => comm.post(1, &[1.0; 3]),
        _ => comm.receive(0, &mut [0.0; 2]),
    });
    assert_eq!(
        text,
        "rank 0 has posted 3 numbers to rank 1, which expects 2"
    );
    assert_eq!(
        pair(|comm| comm.post(1, &[1.0])),
        "rank 1 has not received all that rank 0 has posted to it"
    );
    assert!(pair(|comm| comm.post(0, &[])).contains("itself"));
    assert!(pair(|comm| comm.receive(2, &mut [])).contains("rank 2, but there are 2"));
    let twice = |comm: &dyn Comm| drop(comm.exchange(vec![(1, vec![]), (1, vec![])]));
    assert!(message(2, twice).contains("two messages to rank 1"));
    let beyond = |comm: &dyn Comm| drop(comm.exchange(vec![(2, vec![])]));
    assert!(message(2, beyond).contains("rank 2, but there are 2"));

    let text = message(2, |comm| match comm.rank() {
        0 => comm.barrier(),
        _ => comm.sum_i64(&mut []),
    });
    let either = [
        "rank 1 calls sum_i64 while rank 0 calls barrier",
        "rank 0 calls barrier while rank 1 calls sum_i64",
    ];
    assert!(either.contains(&text.as_str()), "{text}");
    let text = message(2, |comm| comm.sum_i64(&mut vec![0; comm.rank()]));
    assert!(text.contains("another number of integers"), "{text}");
}

#[test]
#[should_panic(expected = "but there are 1")]
fn a_serial_rank_has_nobody_to_receive_from() {
    Serial.receive(1, &mut [0.0]);
}
