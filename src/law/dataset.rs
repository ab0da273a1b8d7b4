//! The datasets in which checkpoints store the state of laws.

/// A dataset of a checkpoint: a part of a law's state `S`, one row per contact.
pub struct Dataset<S: 'static> {
    /// Its path, in the group of contacts.
    pub path: &'static str,
    /// Unit of its numbers.
    pub unit: &'static str,
    /// Their meaning.
    pub description: &'static str,
    /// Its numbers.
    pub values: Values<S>,
}

/// The numbers of a [`Dataset`].
pub enum Values<S> {
    /// This number of real numbers.
    Real(usize, fn(&mut S) -> &mut [f64]),
    /// One integer from 0 to 255.
    Small(fn(&mut S) -> &mut u64),
}
