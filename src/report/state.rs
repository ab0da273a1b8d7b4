//! A checkpoint with all data of its pictures.

use crate::body::WallState;
use crate::comm::threads::Serial;
use crate::config::{self, Scenario};
use crate::io::checkpoint::{self, Loaded};
use crate::io::{Header, WallRow};
use crate::math::{Vector3, as_written};
use crate::render::Scene;
use crate::shape::Surface;
use std::path::Path;

/// A state read from a file.
pub(super) struct State {
    pub(super) loaded: Loaded,
    pub(super) scenario: Scenario,
    surfaces: Vec<Surface>,
    materials: Vec<String>,
    caption: String,
}

impl State {
    /// Reads a checkpoint.
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let loaded = checkpoint::read(&Serial, path).map_err(|e| e.to_string())?;
        Self::of(path, loaded)
    }

    /// The state of a loaded checkpoint.
    pub(super) fn of(path: &Path, loaded: Loaded) -> Result<Self, String> {
        let scenario = configuration(path, &loaded.header)?;
        let walls = scenario.walls.iter().zip(&loaded.walls);
        let surfaces = walls.map(|(wall, row)| wall.placed(&place(row))).collect();
        let materials = scenario.materials.iter().map(|m| m.name.clone()).collect();
        let (header, number) = (&loaded.header, loaded.bodies.len());
        let time = as_written(header.time);
        let caption = match scenario.title.as_str() {
            "" => format!("step {}, time {time} s, {number} bodies", header.step),
            title => format!(
                "step {}, time {time} s, {number} bodies - {title}",
                header.step
            ),
        };
        Ok(Self {
            loaded,
            scenario,
            surfaces,
            materials,
            caption,
        })
    }

    /// The scene of the state.
    pub(super) fn scene(&self) -> Scene<'_> {
        Scene {
            bodies: &self.loaded.bodies,
            templates: &self.scenario.templates,
            contacts: &self.loaded.contacts,
            dt: self.loaded.header.dt,
            surfaces: &self.surfaces,
            materials: &self.materials,
            domain: (self.scenario.lower, self.scenario.upper),
            up: self.up(),
            flat: self.scenario.two_dimensional,
            caption: &self.caption,
        }
    }

    /// The unit vector against gravity; without gravity z, for discs y.
    pub(super) fn up(&self) -> Vector3 {
        let gravity = self.scenario.gravity;
        let size = gravity.amax();
        match (size > 0.0, self.scenario.two_dimensional) {
            (true, _) => -(gravity / size).normalize(),
            (false, true) => Vector3::y(),
            (false, false) => Vector3::z(),
        }
    }
}

/// The configuration in a checkpoint.
pub(super) fn configuration(path: &Path, header: &Header) -> Result<Scenario, String> {
    let read = config::of_checkpoint(path, &header.config, header.cell.as_ref());
    read.map_err(|faults| faults.to_string())
}

fn place(row: &WallRow) -> WallState {
    WallState {
        displacement: row.displacement.into(),
        orientation: row.orientation,
        velocity: row.velocity.into(),
        angular_velocity: row.angular_velocity.into(),
    }
}
