//! A picture as pixels.

/// A picture: rows from the top, red, green and blue of each pixel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Pixels across and down.
    pub size: [usize; 2],
    /// Three bytes a pixel.
    pub rgb: Vec<u8>,
}

impl Picture {
    /// The picture as a PNG file.
    ///
    /// # Errors
    /// If the encoder refuses it; it accepts any picture of at least one pixel.
    pub fn png(&self) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.size[0] as u32, self.size[1] as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Balanced);
        let written = encoder
            .write_header()
            .and_then(|mut writer| writer.write_image_data(&self.rgb));
        written.map_err(|e| format!("the picture cannot be encoded: {e}"))?;
        Ok(bytes)
    }

    /// Red, green and blue at a pixel, from the left and from the top.
    #[must_use]
    pub fn at(&self, x: usize, y: usize) -> [u8; 3] {
        let k = 3 * (y * self.size[0] + x);
        [self.rgb[k], self.rgb[k + 1], self.rgb[k + 2]]
    }

    /// Lays a colour over a pixel: `cover` 0 keeps it, 1 replaces it; outside the picture without
    /// effect.
    pub(super) fn blend(&mut self, x: usize, y: usize, colour: [u8; 3], cover: f64) {
        if x >= self.size[0] || y >= self.size[1] {
            return;
        }
        let k = 3 * (y * self.size[0] + x);
        for (old, new) in self.rgb[k..k + 3].iter_mut().zip(colour) {
            let mixed = f64::from(*old) * (1.0 - cover) + f64::from(new) * cover;
            *old = (mixed + 0.5) as u8;
        }
    }
}
