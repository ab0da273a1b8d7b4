//! The form in which checkpoints keep the memory of laws.

/// A dataset of a checkpoint with a part of a law's memory `S`, one row a contact.
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
    /// So many real numbers.
    Real(usize, fn(&mut S) -> &mut [f64]),
    /// A number from 0 to 255.
    Small(fn(&mut S) -> &mut u64),
}
