//! The content of a frame, and how it is stored.

use super::field::Field;

/// The storage of real numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// In 32 bits: seven digits.
    Single,
    /// In 64 bits, as they are computed.
    Double,
}

/// The content of a frame, and how it is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The fields of each body, in addition to its position.
    pub fields: Vec<Field>,
    /// How real numbers are stored.
    pub precision: Precision,
    /// Level of the compression of arrays, from 0 (none) to 9.
    pub compression: u8,
    /// Whether contacts have frames too.
    pub contacts: bool,
    /// Whether mesh walls have frames too.
    pub surfaces: bool,
    /// Whether XDMF describes the frames as well.
    pub xdmf: bool,
}

impl Settings {
    /// Frames with these fields, and all else as where the configuration sets nothing.
    #[must_use]
    pub const fn of(fields: Vec<Field>) -> Self {
        Self {
            fields,
            precision: Precision::Single,
            compression: 1,
            contacts: true,
            surfaces: true,
            xdmf: false,
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self::of(Field::usual())
    }
}
