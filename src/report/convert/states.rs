//! States to be converted, one at a time, from any source.

use super::output::Fault;
use crate::comm::threads::Serial;
use crate::config::{self, Scenario};
use crate::io::Snapshot;
use crate::io::checkpoint::{self, Loaded};
use crate::io::vtkhdf::{Kind, Movie, Space};
use crate::math::Vector3;
use std::path::{Path, PathBuf};

/// The source of a conversion.
#[derive(Debug)]
pub(super) enum Source {
    /// Checkpoints by step; there is at least one.
    Checkpoints(Vec<PathBuf>),
    /// Tables of contents of frames; at least one.
    Frames(Vec<(Kind, PathBuf)>),
}

impl Source {
    /// The source at a path.
    ///
    /// For a folder these are its frames, if it has any and `pass_over_frames` is false, else its
    /// checkpoints.
    pub(super) fn find(from: &Path, pass_over_frames: bool) -> Result<Self, String> {
        let is_frames = from.extension().is_some_and(|e| e == "vtkhdf");
        if !from.is_dir() {
            if is_frames && pass_over_frames {
                return Err(format!(
                    "{}: XDMF describes checkpoints; accepted: a checkpoint, or a folder of them",
                    from.display()
                ));
            }
            let name = from.file_name().unwrap_or_default().to_string_lossy();
            let named = |kind: &Kind| name.contains(kind.name());
            let kind = Kind::ALL.into_iter().find(named).unwrap_or(Kind::Bodies);
            return Ok(match is_frames {
                true => Self::Frames(vec![(kind, from.to_owned())]),
                false => Self::Checkpoints(vec![from.to_owned()]),
            });
        }
        let table = |kind: Kind| (kind, from.join(format!("{}.vtkhdf", kind.name())));
        let tables = Kind::ALL.map(table).into_iter();
        let tables: Vec<_> = tables.filter(|(_, path)| path.is_file()).collect();
        if !tables.is_empty() && !pass_over_frames {
            return Ok(Self::Frames(tables));
        }
        let mut paths = checkpoint::newest(from).map_err(|e| e.to_string())?;
        paths.reverse();
        match paths.is_empty() {
            true => Err(format!(
                "{}: holds neither frames nor checkpoints; accepted: the folder of a run, a checkpoint, or bodies.vtkhdf",
                from.display()
            )),
            false => Ok(Self::Checkpoints(paths)),
        }
    }

    /// The folder of the source.
    pub(super) fn folder(&self) -> &Path {
        let first = match self {
            Self::Checkpoints(paths) => paths.first(),
            Self::Frames(tables) => tables.first().map(|(_, path)| path),
        };
        let folder = first.and_then(|path| path.parent());
        match folder {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        }
    }
}

/// The domain of a scenario.
pub(super) fn space(scenario: &Scenario) -> Space {
    Space {
        lower: scenario.lower,
        upper: scenario.upper,
        periodic: scenario.periodic,
        shear: scenario.shear,
    }
}

/// The contents of checkpoints, one after the other.
pub(super) fn checkpoints(
    paths: &[PathBuf],
) -> impl Iterator<Item = Result<(Snapshot, Scenario), Fault>> {
    let read = |path: &PathBuf| -> Result<(Snapshot, Scenario), String> {
        let Loaded {
            header,
            bodies,
            contacts,
            walls,
            flows,
            anchors,
            wear,
        } = checkpoint::read(&Serial, path).map_err(|e| e.to_string())?;
        let scenario = config::of_checkpoint(path, &header.config, header.cell.as_ref());
        let scenario = scenario.map_err(|faults| faults.to_string())?;
        let snapshot = Snapshot {
            header,
            bodies,
            contacts,
            walls,
            flows,
            anchors,
            wear,
        };
        Ok((snapshot, scenario))
    };
    paths
        .iter()
        .map(move |path| read(path).map_err(Fault::Input))
}

/// States by step.
pub(super) enum States {
    Checkpoints(Vec<PathBuf>),
    Frames(Vec<(Kind, Movie)>),
}

/// A body, with the fields of the source.
#[derive(Clone, Debug, Default)]
pub(super) struct Body {
    pub(super) id: Option<u64>,
    pub(super) material: Option<u64>,
    pub(super) position: [f64; 3],
    pub(super) image: Option<[i64; 3]>,
    pub(super) velocity: Option<[f64; 3]>,
    pub(super) angular_velocity: Option<[f64; 3]>,
    pub(super) radius: Option<f64>,
    pub(super) mass: Option<f64>,
}

/// A contact.
#[derive(Clone, Debug)]
pub(super) struct Touch {
    pub(super) body: [u64; 2],
    /// [N].
    pub(super) normal_force: f64,
    /// [N].
    pub(super) tangential_force: f64,
    /// [m].
    pub(super) gap: f64,
    pub(super) status: u64,
}

/// Frames have the balls of clumps, from which their bodies do not follow.
const OF_BALLS: &str = "the frames show balls of clumps, and a dump has one atom for each body; \
                        accepted: a checkpoint, or frames of a run without clumps";

/// A state; bodies or contacts are empty if the source has none.
pub(super) struct State {
    pub(super) step: u64,
    /// [s].
    pub(super) time: f64,
    pub(super) space: Space,
    pub(super) bodies: Option<Vec<Body>>,
    pub(super) contacts: Option<Vec<Touch>>,
}

impl States {
    pub(super) fn open(source: Source) -> Result<Self, Fault> {
        let tables = match source {
            Source::Checkpoints(paths) => return Ok(Self::Checkpoints(paths)),
            Source::Frames(tables) => tables,
        };
        let open = |(kind, path): (Kind, PathBuf)| {
            let movie = Movie::open(&path, kind).map_err(|e| Fault::Input(e.to_string()))?;
            Ok((kind, movie))
        };
        let movies: Result<Vec<_>, Fault> = tables.into_iter().map(open).collect();
        Ok(Self::Frames(movies?))
    }

    /// Calls a function for one state after the other.
    pub(super) fn each(
        &self,
        mut take: impl FnMut(State) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        match self {
            Self::Checkpoints(paths) => {
                checkpoints(paths).try_for_each(|state| take(of_checkpoint(state?)))
            }
            Self::Frames(movies) => {
                let fault = |e: crate::io::vtkhdf::Error| Fault::Input(e.to_string());
                for (kind, movie) in movies {
                    if *kind == Kind::Bodies && movie.has("part") {
                        return Err(Fault::Input(OF_BALLS.to_owned()));
                    }
                    for frame in 0..movie.steps.len() {
                        let mut state = State {
                            step: movie.steps[frame],
                            time: movie.times[frame],
                            space: movie.spaces[frame],
                            bodies: None,
                            contacts: None,
                        };
                        match kind {
                            Kind::Bodies => {
                                state.bodies = Some(of_bodies(movie, frame).map_err(fault)?)
                            }
                            Kind::Contacts => {
                                state.contacts = Some(of_contacts(movie, frame).map_err(fault)?);
                            }
                            // Formats of bodies and contacts have no surfaces.
                            Kind::Surfaces => continue,
                        }
                        take(state)?;
                    }
                }
                Ok(())
            }
        }
    }
}

fn of_checkpoint((snapshot, scenario): (Snapshot, Scenario)) -> State {
    let dt = snapshot.header.dt;
    let bodies = snapshot.bodies.iter().map(|row| Body {
        id: Some(row.id.0),
        material: Some(row.material.into()),
        position: row.position,
        image: Some(row.image),
        velocity: Some(row.velocity),
        angular_velocity: Some(row.angular_velocity),
        radius: Some(row.radius),
        mass: Some(row.mass),
    });
    let contacts = snapshot.contacts.iter().map(|row| {
        let (impulse, normal) = (Vector3::from(row.impulse), Vector3::from(row.normal));
        let along = impulse.dot(&normal);
        Touch {
            body: [row.key.a.0, row.key.b.0],
            normal_force: along / dt,
            tangential_force: (impulse - normal * along).norm() / dt,
            gap: row.gap,
            status: row.status,
        }
    });
    State {
        step: snapshot.header.step,
        time: snapshot.header.time,
        space: space(&scenario),
        bodies: Some(bodies.collect()),
        contacts: Some(contacts.collect()),
    }
}

fn of_bodies(movie: &Movie, frame: usize) -> Result<Vec<Body>, crate::io::vtkhdf::Error> {
    let (ids, material) = (
        movie.array::<u64, 1>("id", frame)?,
        movie.array::<u64, 1>("material", frame)?,
    );
    let velocity = movie.array::<f64, 3>("velocity", frame)?;
    let angular_velocity = movie.array::<f64, 3>("angular_velocity", frame)?;
    let radius = movie.array::<f64, 1>("radius", frame)?;
    let mass = movie.array::<f64, 1>("mass", frame)?;
    let places = movie.places(frame)?;
    let one = |of: &Option<Vec<[f64; 1]>>, k: usize| of.as_ref().map(|all| all[k][0]);
    let whole = |of: &Option<Vec<[u64; 1]>>, k: usize| of.as_ref().map(|all| all[k][0]);
    let body = |(k, &position): (usize, &[f64; 3])| Body {
        id: whole(&ids, k),
        material: whole(&material, k),
        position,
        image: None,
        velocity: velocity.as_ref().map(|all| all[k]),
        angular_velocity: angular_velocity.as_ref().map(|all| all[k]),
        radius: one(&radius, k),
        mass: one(&mass, k),
    };
    Ok(places.iter().enumerate().map(body).collect())
}

fn of_contacts(movie: &Movie, frame: usize) -> Result<Vec<Touch>, crate::io::vtkhdf::Error> {
    let bodies = movie.array::<u64, 2>("body", frame)?.unwrap_or_default();
    let numbers = |name: &str| {
        movie
            .array::<f64, 1>(name, frame)
            .map(Option::unwrap_or_default)
    };
    let (normal, tangential) = (numbers("normal_force")?, numbers("tangential_force")?);
    let gap = numbers("gap")?;
    let status = movie.array::<u64, 1>("status", frame)?.unwrap_or_default();
    let counts = [normal.len(), tangential.len(), gap.len(), status.len()];
    let rows = counts.into_iter().fold(bodies.len(), usize::min);
    let touch = |k: usize| Touch {
        body: bodies[k],
        normal_force: normal[k][0],
        tangential_force: tangential[k][0],
        gap: gap[k][0],
        status: status[k][0],
    };
    Ok((0..rows).map(touch).collect())
}
