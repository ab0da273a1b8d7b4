//! A checkpoint with all data of its pictures.

use crate::body::{BodyRow, WallState};
use crate::comm::threads::Serial;
use crate::config::{self, Scenario};
use crate::io::checkpoint::{self, Loaded};
use crate::io::{Header, WallRow};
use crate::math::{Vector3, as_written};
use crate::measure::WearOf;
use crate::render::{Balls, Colour, Scene, Touching, View};
use crate::shape::Surface;
use std::path::Path;

/// The surroundings of the bodies in a picture.
pub(super) struct Setting {
    pub(super) scenario: Scenario,
    pub(super) surfaces: Vec<Surface>,
    materials: Vec<String>,
    caption: String,
}

impl Setting {
    /// The surroundings at a step and a time [s], with the walls moved to these states.
    pub(super) fn new(
        scenario: Scenario,
        walls: impl Iterator<Item = WallState>,
        (step, time, bodies): (u64, f64, usize),
    ) -> Self {
        let both = scenario.walls.iter().zip(walls);
        let surfaces = both.map(|(wall, state)| wall.placed(&state)).collect();
        let materials = scenario.materials.iter().map(|m| m.name.clone()).collect();
        let time = as_written(time);
        let caption = match scenario.title.as_str() {
            "" => format!("step {step}, time {time} s, {bodies} bodies"),
            title => format!("step {step}, time {time} s, {bodies} bodies - {title}"),
        };
        Self {
            scenario,
            surfaces,
            materials,
            caption,
        }
    }

    /// A scene of these bodies, without contacts.
    pub(super) fn scene<'a>(&'a self, bodies: &'a [BodyRow], balls: Balls<'a>) -> Scene<'a> {
        Scene {
            bodies,
            balls,
            coordination: Vec::new(),
            pressure: Vec::new(),
            links: Vec::new(),
            surfaces: &self.surfaces,
            worn: Vec::new(),
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

/// A state read from a file.
pub(super) struct State {
    pub(super) loaded: Loaded,
    setting: Setting,
}

impl std::ops::Deref for State {
    type Target = Setting;

    fn deref(&self) -> &Setting {
        &self.setting
    }
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
        let (header, bodies) = (&loaded.header, loaded.bodies.len());
        let walls = loaded.walls.iter().map(place);
        let setting = Setting::new(scenario, walls, (header.step, header.time, bodies));
        Ok(Self { loaded, setting })
    }

    /// The scene of the state, with the contacts as far as the view shows them.
    pub(super) fn scene_for(&self, view: &View) -> Scene<'_> {
        let templates = &self.scenario.templates;
        let touching = Touching {
            bodies: &self.loaded.bodies,
            templates,
            contacts: &self.loaded.contacts,
            dt: self.loaded.header.dt,
        };
        let mut scene = self.scene(&self.loaded.bodies, Balls::Of(templates));
        match view.colour {
            _ if view.contacts => scene.links = touching.links(),
            Colour::Coordination => scene.coordination = touching.coordination(),
            Colour::Pressure => scene.pressure = touching.pressure(scene.flat),
            Colour::Wall(of) => scene.worn = self.worn(of),
            _ => {}
        }
        scene
    }
}

impl State {
    /// Whether it has the loads and the wear of triangles.
    pub(super) fn has_wear(&self) -> bool {
        self.loaded.header.wear_since.is_some()
    }

    /// A quantity of all triangles, for each wall.
    fn worn(&self, of: WearOf) -> Vec<Vec<f64>> {
        let header = &self.loaded.header;
        let mut worn: Vec<Vec<f64>> = self.surfaces.iter().map(none).collect();
        for row in &self.loaded.wear {
            let (wall, number) = (row.triangle.wall as usize, row.triangle.number as usize);
            let Some(mesh) = self.surfaces.get(wall).and_then(Surface::mesh) else {
                continue;
            };
            let Some(place) = worn[wall].get_mut(number) else {
                continue;
            };
            let corners = mesh.mesh().triangles()[number];
            let [a, b, c] = corners.map(|k| mesh.out(&mesh.mesh().points()[k as usize]));
            let area = 0.5 * (b - a).cross(&(c - a)).norm();
            let since = header.wear_since.unwrap_or(header.time);
            *place = row.worn.over(area, header.time - since)[of as usize];
        }
        worn
    }
}

/// Zero for each triangle of a mesh, nothing for other surfaces.
fn none(surface: &Surface) -> Vec<f64> {
    vec![0.0; surface.triangles()]
}

/// The configuration in a checkpoint.
pub(super) fn configuration(path: &Path, header: &Header) -> Result<Scenario, String> {
    let read = config::of_checkpoint(path, &header.config, header.cell.as_ref());
    read.map_err(|faults| faults.to_string())
}

/// The place of a wall of the configuration.
fn place(row: &WallRow) -> WallState {
    WallState {
        displacement: row.displacement_as_given().into(),
        orientation: row.orientation,
        velocity: row.velocity.into(),
        angular_velocity: row.angular_velocity.into(),
    }
}
