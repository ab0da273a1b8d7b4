//! What is in a frame, and how it is stored.

use super::field::Field;

/// How numbers with a fraction are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// In 32 bits: seven digits.
    #[default]
    Single,
    /// In 64 bits, as they are computed.
    Double,
}

/// What is in a frame, and how it is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// What is told of each body beside its place.
    pub fields: Vec<Field>,
    /// How numbers with a fraction are stored.
    pub precision: Precision,
    /// How hard arrays are compressed, 0 (not at all) to 9.
    pub compression: u8,
    /// Whether there are frames of contacts too.
    pub contacts: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            fields: Field::usual(),
            precision: Precision::default(),
            compression: 1,
            contacts: true,
        }
    }
}
