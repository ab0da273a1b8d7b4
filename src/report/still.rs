//! A frame with all data of its pictures.

use super::state::Setting;
use crate::body::{BodyId, BodyRow, WallState};
use crate::config;
use crate::io::vtkhdf::{Kind, Space, Still};
use crate::math::Vector3;
use crate::render::{Balls, Colour, Link, Scene, View, stresses, summed};
use crate::shape::Surface;
use std::path::Path;

/// A frame read from its file, as far as a view shows it.
pub(super) struct Framed {
    setting: Setting,
    bodies: Vec<BodyRow>,
    /// The balls of clumps; `None`: each body is one ball.
    balls: Option<Vec<(usize, Vector3, f64)>>,
    coordination: Vec<f64>,
    pressure: Vec<f64>,
    links: Vec<Link>,
    worn: Vec<Vec<f64>>,
}

/// A field that a picture needs and a frame may lack.
struct Fields<'a> {
    still: &'a Still,
    path: &'a Path,
    /// The request, for messages.
    wanted: String,
}

impl Fields<'_> {
    /// A field of real numbers.
    fn real<const N: usize>(&self, kind: Kind, name: &str) -> Result<Vec<[f64; N]>, String> {
        let field = self.still.field::<f64, N>(kind, name);
        let field = field.map_err(|e| e.to_string())?;
        self.finite(name, field.ok_or_else(|| self.lacks(kind, name))?)
    }

    fn points(&self, kind: Kind) -> Result<Vec<[f64; 3]>, String> {
        let points = self.still.points(kind).map_err(|e| e.to_string())?;
        self.finite("Points", points)
    }

    fn finite<const N: usize>(
        &self,
        name: &str,
        field: Vec<[f64; N]>,
    ) -> Result<Vec<[f64; N]>, String> {
        match field.iter().flatten().find(|x| !x.is_finite()) {
            Some(x) => Err(format!(
                "{}: {name}: must be finite; found {x}",
                self.path.display()
            )),
            None => Ok(field),
        }
    }

    /// A field of whole numbers.
    fn whole<const N: usize>(&self, kind: Kind, name: &str) -> Result<Vec<[u64; N]>, String> {
        let field = self.still.field::<u64, N>(kind, name);
        let field = field.map_err(|e| e.to_string())?;
        field.ok_or_else(|| self.lacks(kind, name))
    }

    fn has(&self, kind: Kind, name: &str) -> bool {
        self.still.fields(kind).contains(&name)
    }

    fn lacks(&self, kind: Kind, name: &str) -> String {
        let (path, wanted) = (self.path.display(), &self.wanted);
        if !self.still.has(kind) {
            let (kind, step) = (kind.name(), self.still.step());
            return format!(
                "{path}: {wanted} needs the frame of {kind} of step {step} (output.{kind}); found none"
            );
        }
        let there = self.still.fields(kind).join(", ");
        format!(
            "{path}: {wanted} needs the field `{name}` of {}; the frame has {there}",
            kind.name()
        )
    }
}

impl Framed {
    /// Reads a frame of bodies, and its contacts if the view shows these.
    pub(super) fn read(path: &Path, view: &View) -> Result<Self, String> {
        let still = Still::open(path).map_err(|e| e.to_string())?;
        let scenario = config::of_checkpoint(path, &still.config, None);
        let mut scenario = scenario.map_err(|faults| faults.to_string())?;
        let space = Space {
            lower: scenario.lower,
            upper: scenario.upper,
            periodic: scenario.periodic,
            shear: scenario.shear,
        };
        let space = still.space(&space).map_err(|e| e.to_string())?;
        (scenario.upper, scenario.shear) = (space.upper, space.shear);
        if still.walls.len() != scenario.walls.len() {
            return Err(format!(
                "{}: must have the {} walls of its configuration; found {}",
                path.display(),
                scenario.walls.len(),
                still.walls.len()
            ));
        }
        let walls = still.walls.iter().map(|wall| WallState {
            displacement: wall.displacement.into(),
            orientation: wall.orientation,
            ..WallState::default()
        });
        let walls: Vec<WallState> = walls.collect();
        let wanted = match view.contacts {
            true => "--contacts".to_owned(),
            false => format!("--colour {}", view.colour.name().0),
        };
        let fields = Fields {
            still: &still,
            path,
            wanted,
        };
        let (bodies, balls, mut coordination) = bodies(&fields, view)?;
        let about = (still.step(), still.time(), bodies.len());
        let setting = Setting::new(scenario, walls.into_iter(), about);
        let (mut pressure, mut links, mut worn) = (Vec::new(), Vec::new(), Vec::new());
        match view.colour {
            _ if view.contacts => {
                coordination.clear();
                links = forces(&fields, &bodies, balls.is_some(), !view.clips.is_empty())?;
            }
            Colour::Pressure if balls.is_some() => {
                return Err(format!(
                    "{}: --colour pressure of clumps needs their contact points; the frame has none; accepted: a checkpoint",
                    path.display()
                ));
            }
            Colour::Pressure => {
                pressure = pressures(&fields, &bodies, setting.scenario.two_dimensional)?;
            }
            Colour::Wall(_) => worn = of_walls(&fields, view.colour, &setting.surfaces)?,
            _ => {}
        }
        Ok(Self {
            setting,
            bodies,
            balls,
            coordination,
            pressure,
            links,
            worn,
        })
    }

    /// The scene of the frame.
    pub(super) fn scene(&self) -> Scene<'_> {
        let balls = self.balls.as_deref().map_or(Balls::Of(&[]), Balls::At);
        Scene {
            coordination: self.coordination.clone(),
            pressure: self.pressure.clone(),
            links: self.links.clone(),
            worn: self.worn.clone(),
            ..self.setting.scene(&self.bodies, balls)
        }
    }

    /// Whether the bodies are discs.
    pub(super) fn is_flat(&self) -> bool {
        self.setting.scenario.two_dimensional
    }

    /// The number of bodies.
    pub(super) fn count(&self) -> usize {
        self.bodies.len()
    }
}

/// Bodies with the fields of a view, the balls of clumps, and the coordination of bodies.
type Bodies = (Vec<BodyRow>, Option<Vec<(usize, Vector3, f64)>>, Vec<f64>);

fn bodies(fields: &Fields, view: &View) -> Result<Bodies, String> {
    use Kind::Bodies;
    let colour = view.colour;
    let places = fields.points(Bodies)?;
    let radii = fields.real::<1>(Bodies, "radius")?;
    if let Some([r]) = radii.iter().find(|r| r[0] <= 0.0) {
        return Err(format!(
            "{}: radius: must be above 0; found {r}",
            fields.path.display()
        ));
    }
    let clumps = fields.has(Bodies, "part");
    let shows = |wanted: bool| wanted && !view.contacts;
    let moves = shows(matches!(colour, Colour::Speed | Colour::Velocity(_)));
    let contacts = view.contacts || colour == Colour::Pressure;
    let arms = match clumps {
        true => Some(fields.real::<3>(Bodies, "arm")?),
        false => None,
    };
    let first: Vec<usize> = match clumps {
        true => {
            let parts = fields.whole::<1>(Bodies, "part")?;
            let first = parts.iter().enumerate().filter(|(_, part)| part[0] == 0);
            first.map(|(k, _)| k).collect()
        }
        false => (0..places.len()).collect(),
    };
    if first.first().is_some_and(|k| *k != 0) {
        return Err(format!(
            "{}: part: must be 0 at the first ball of a body; found another",
            fields.path.display()
        ));
    }
    let velocity = match moves {
        true => Some(fields.real::<3>(Bodies, "velocity")?),
        false => None,
    };
    let spin = match shows(colour == Colour::Spin) || moves && clumps {
        true => Some(fields.real::<3>(Bodies, "angular_velocity")?),
        false => None,
    };
    let id = match shows(colour == Colour::Id) || contacts {
        true => Some(fields.whole::<1>(Bodies, "id")?),
        false => None,
    };
    let material = match shows(colour == Colour::Material) {
        true => Some(fields.whole::<1>(Bodies, "material")?),
        false => None,
    };
    let coordination = match shows(colour == Colour::Coordination) {
        true => {
            let all = fields.whole::<1>(Bodies, "coordination")?;
            first.iter().map(|&k| all[k][0] as f64).collect()
        }
        false => Vec::new(),
    };
    let mut rows = Vec::with_capacity(first.len());
    let mut balls = arms.as_ref().map(|_| Vec::with_capacity(places.len()));
    let ends = first.iter().skip(1).copied().chain([places.len()]);
    for (&k, end) in first.iter().zip(ends) {
        let (mut position, mut radius) = (Vector3::from(places[k]), radii[k][0]);
        let turning = spin.as_ref().map_or(Vector3::zeros(), |all| all[k].into());
        let mut moving = velocity
            .as_ref()
            .map_or(Vector3::zeros(), |all| Vector3::from(all[k]));
        if let (Some(arms), Some(balls)) = (&arms, &mut balls) {
            let arm = Vector3::from(arms[k]);
            position -= arm;
            moving -= turning.cross(&arm);
            let each = (k..end).map(|j| (Vector3::from(arms[j]).norm() + radii[j][0], j));
            radius = 0.0;
            for (reach, j) in each {
                radius = f64::max(radius, reach);
                balls.push((rows.len(), places[j].into(), radii[j][0]));
            }
        }
        let number = id.as_ref().map_or(rows.len() as u64, |all| all[k][0]);
        let mut row = BodyRow::sphere(BodyId(number), position.into(), radius, 1.0);
        (row.velocity, row.angular_velocity) = (moving.into(), turning.into());
        if let Some(all) = &material {
            row.material = u32::try_from(all[k][0]).unwrap_or(u32::MAX);
        }
        rows.push(row);
    }
    if let Some(pair) = rows.windows(2).find(|pair| pair[0].id >= pair[1].id) {
        return Err(format!(
            "{}: id: must ascend; found {} after {}",
            fields.path.display(),
            pair[1].id,
            pair[0].id
        ));
    }
    Ok((rows, balls, coordination))
}

/// The place of a body by its id.
fn place(bodies: &[BodyRow], id: u64) -> Option<&BodyRow> {
    let found = bodies.binary_search_by_key(&BodyId(id), |row| row.id);
    found.ok().map(|k| &bodies[k])
}

/// Contacts that carry a force; of clumps only without cuts, for which they lack the points.
fn forces(
    fields: &Fields,
    bodies: &[BodyRow],
    clumps: bool,
    cut: bool,
) -> Result<Vec<Link>, String> {
    use Kind::Contacts;
    if clumps && cut {
        return Err(format!(
            "{}: --contacts with --clip of clumps needs their contact points; the frame has none; accepted: a checkpoint",
            fields.path.display()
        ));
    }
    let status = fields.whole::<1>(Contacts, "status")?;
    let force = fields.real::<1>(Contacts, "normal_force")?;
    let pairs = fields.whole::<2>(Contacts, "body")?;
    let gap = fields.real::<1>(Contacts, "gap")?;
    let points = fields.points(Contacts)?;
    let carrying = (0..status.len()).filter(|&k| status[k][0] != 0);
    let link = |k: usize| {
        let ends = [points[2 * k], points[2 * k + 1]].map(Vector3::from);
        let [a, b] = pairs[k].map(|id| place(bodies, id));
        // From a ball's centre to the point midway between two surfaces, or to that on a wall.
        let share = match (a, b) {
            (Some(a), Some(b)) => {
                let gap = gap[k][0];
                (a.radius + 0.5 * gap) / (a.radius + gap + b.radius)
            }
            _ => 1.0,
        };
        Link {
            ends,
            point: ends[0] + (ends[1] - ends[0]) * share,
            force: force[k][0].abs(),
        }
    };
    Ok(carrying.map(link).collect())
}

/// A quantity of the triangles of each wall with a mesh.
fn of_walls(
    fields: &Fields,
    colour: Colour,
    surfaces: &[Surface],
) -> Result<Vec<Vec<f64>>, String> {
    let name = colour.name().0.trim_start_matches("wall.");
    let all = fields.real::<1>(Kind::Surfaces, name)?;
    let counts: Vec<usize> = surfaces.iter().map(Surface::triangles).collect();
    let expected: usize = counts.iter().sum();
    if all.len() != expected {
        return Err(format!(
            "{}: {name}: must have the {expected} triangles of the mesh walls; found {}",
            fields.path.display(),
            all.len()
        ));
    }
    let mut rows = all.into_iter().map(|[x]| x);
    let each = counts.into_iter().map(|n| rows.by_ref().take(n).collect());
    Ok(each.collect())
}

fn pressures(fields: &Fields, bodies: &[BodyRow], flat: bool) -> Result<Vec<f64>, String> {
    use Kind::Contacts;
    let status = fields.whole::<1>(Contacts, "status")?;
    let force = fields.real::<1>(Contacts, "normal_force")?;
    let pairs = fields.whole::<2>(Contacts, "body")?;
    let gap = fields.real::<1>(Contacts, "gap")?;
    let carrying = (0..status.len()).filter(|&k| status[k][0] != 0);
    let sides = carrying.flat_map(|k| {
        let (force, gap) = (force[k][0], gap[k][0]);
        let pressed = move |body: &BodyRow| force * (body.radius + 0.5 * gap);
        pairs[k].map(|id| (BodyId(id), pressed))
    });
    let sums = summed(bodies, sides);
    // Forces, in place of impulses of a step.
    Ok(stresses(
        sums,
        bodies,
        |body| body.volume(flat, &[]),
        (flat, 1.0),
    ))
}
