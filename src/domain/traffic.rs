//! The cost of the exchange between ranks.

use std::time::Duration;

/// Time, messages and bytes of exchange.
#[derive(Clone, Copy, Debug, Default)]
pub struct Traffic {
    /// Time in sends, receives and reductions.
    pub time: Duration,
    /// Messages sent by this rank.
    pub messages: u64,
    /// Bytes sent by this rank.
    pub bytes: u64,
    /// Time on blocks between the sending of velocities and the first check for those of others.
    pub overlapped: Duration,
    /// Time after that until they arrived.
    pub waited: Duration,
}

impl Traffic {
    /// Adds the cost of another solve.
    pub fn add(&mut self, other: &Traffic) {
        self.time += other.time;
        self.messages += other.messages;
        self.bytes += other.bytes;
        self.overlapped += other.overlapped;
        self.waited += other.waited;
    }
}
