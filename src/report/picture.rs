//! Pictures of checkpoints as files: `moreau render`.

use super::state::State;
use crate::io::{checkpoint, own_temporary};
use crate::render::{self, Fit, Picture, View};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The request for pictures.
#[derive(Clone, Debug)]
pub struct Request {
    /// The view of the scene.
    pub view: View,
    /// Whether the direction is the default: discs are then seen from above.
    pub standard: bool,
    /// The object that fills the picture; `None`: the bodies, for a folder the domain.
    pub fit: Option<Fit>,
    /// Threads; `None`: the number of cores.
    pub threads: Option<usize>,
}

/// A message, and its exit status.
type Told = (String, i32);

/// Draws a checkpoint to a PNG file, or each checkpoint of a folder to a numbered one.
///
/// The numbered files go to another folder. Returns a summary.
///
/// # Errors
/// With status 2 for bad input; with status 4 for a picture that cannot be written.
pub fn render(from: &Path, to: &Path, request: &Request) -> Result<String, (String, i32)> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(request.threads.unwrap_or(0));
    let pool = pool
        .build()
        .map_err(|e| (format!("--threads: no threads can be started: {e}"), 2))?;
    pool.install(|| match from.is_dir() {
        true => animation(from, to, request),
        false => single(from, to, request),
    })
}

fn single(from: &Path, to: &Path, request: &Request) -> Result<String, Told> {
    if to.is_dir() {
        let message = format!(
            "--output {}: a folder; accepted: the path of a PNG file",
            to.display()
        );
        return Err((message, 2));
    }
    may_be_replaced(to)?;
    is_named_as_png(to)?;
    let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty());
    if folder.is_some_and(|folder| !folder.is_dir()) {
        let message = format!(
            "--output {}: must be in an existing folder; found none",
            to.display()
        );
        return Err((message, 2));
    }
    let begin = Instant::now();
    let state = State::read(from).map_err(|e| (e, 2))?;
    let read = begin.elapsed();
    let begin = Instant::now();
    let picture = draw(&state, &view_of(&state, request, Fit::Bodies)).map_err(|e| (e, 2))?;
    let drawn = begin.elapsed();
    write(&picture, to)?;
    let bodies = state.loaded.bodies.len();
    Ok(format!(
        "{}: {bodies} bodies; read in {}, drawn in {}, written in {}",
        to.display(),
        seconds(read),
        seconds(drawn),
        seconds(begin.elapsed() - drawn)
    ))
}

/// Refuses a name that promises another format than PNG.
fn is_named_as_png(path: &Path) -> Result<(), Told> {
    match path.extension() {
        Some(end) if !end.eq_ignore_ascii_case("png") => Err((
            format!(
                "--output {}: must be a name that ends in .png, the format of pictures; found .{}",
                path.display(),
                end.to_string_lossy()
            ),
            2,
        )),
        _ => Ok(()),
    }
}

/// Refuses to overwrite a file that is neither a PNG file nor empty.
fn may_be_replaced(path: &Path) -> Result<(), Told> {
    let begins = |path: &Path| -> std::io::Result<Vec<u8>> {
        let mut begin = Vec::new();
        std::fs::File::open(path)?
            .take(PNG.len() as u64)
            .read_to_end(&mut begin)?;
        Ok(begin)
    };
    let free = match std::fs::metadata(path) {
        Err(_) => true,
        // A pipe or a device is not a file, and would become one.
        Ok(about) if !about.is_file() => false,
        Ok(_) => begins(path).is_ok_and(|begin| begin.is_empty() || begin == PNG),
    };
    match free {
        true => Ok(()),
        false => Err((
            format!(
                "--output {}: must be a new name, or that of a PNG file to replace; found another file",
                path.display()
            ),
            2,
        )),
    }
}

/// The first bytes of every PNG file.
const PNG: [u8; 8] = *b"\x89PNG\r\n\x1a\n";

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}

fn view_of(state: &State, request: &Request, fit: Fit) -> View {
    let mut view = request.view.clone();
    view.fit = request.fit.unwrap_or(fit);
    if request.standard && state.scenario.two_dimensional {
        let above = render::direction("z");
        (view.from, view.up) = above.unwrap_or((view.from, view.up));
    }
    view
}

pub(super) fn draw(state: &State, view: &View) -> Result<Picture, String> {
    render::draw(&state.scene(), view)
}

/// Bytes of checkpoints kept in memory between the search for the range of colours and the drawing.
///
/// Checkpoints beyond are read a second time.
const HELD: u64 = 1 << 30;

/// One picture per checkpoint, all with the same colours.
///
/// Checkpoints that are damaged, or vanish before their turn, are skipped and named.
fn animation(from: &Path, to: &Path, request: &Request) -> Result<String, Told> {
    if to.exists() && !to.is_dir() {
        let message = format!(
            "--output {}: a file; accepted: a folder, for {} is one",
            to.display(),
            from.display()
        );
        return Err((message, 2));
    }
    let mut paths = checkpoint::newest(from).map_err(|e| (e.to_string(), 2))?;
    paths.reverse();
    if !paths.is_empty()
        && !to.exists()
        && to
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("png"))
    {
        let message = format!(
            "--output {}: the name of a picture; accepted: that of a folder, for there is one picture per checkpoint of {}",
            to.display(),
            from.display()
        );
        return Err((message, 2));
    }
    let mut skipped = String::new();
    let mut skip = |error: String| skipped.push_str(&format!("SKIPPED: {error}\n"));
    let mut waiting: Vec<(PathBuf, Option<State>)> = Vec::new();
    let mut range = request.view.range;
    if range.is_some() {
        waiting.extend(paths.into_iter().map(|path| (path, None)));
    } else {
        let mut held = 0;
        for path in paths {
            let state = match State::read(&path) {
                Ok(state) => state,
                Err(error) => {
                    skip(error);
                    continue;
                }
            };
            let view = view_of(&state, request, Fit::Domain);
            let [low, high] = render::natural_range(&state.scene(), &view);
            let wide = range.map_or([low, high], |[l, h]| [l.min(low), h.max(high)]);
            range = Some(wide);
            held += std::fs::metadata(&path).map_or(HELD, |file| file.len());
            waiting.push((path, (held <= HELD).then_some(state)));
        }
    }
    let made = to.exists();
    let mut drawn = 0;
    for (path, state) in waiting {
        let state = match state.map_or_else(|| State::read(&path), Ok) {
            Ok(state) => state,
            Err(error) => {
                skip(error);
                continue;
            }
        };
        let mut view = view_of(&state, request, Fit::Domain);
        view.range = range;
        let picture = draw(&state, &view).map_err(|e| (e, 2))?;
        if drawn == 0 && !made {
            std::fs::create_dir_all(to).map_err(|e| {
                let accepted = "must be a folder that can be made and written to";
                (
                    format!("--output {}: {accepted}; found {e}", to.display()),
                    2,
                )
            })?;
        }
        let frame = to.join(format!("frame-{drawn:05}.png"));
        may_be_replaced(&frame)?;
        write(&picture, &frame)?;
        drawn += 1;
    }
    if drawn == 0 {
        let message = match skipped.as_str() {
            "" => format!("{}: holds no checkpoint (checkpoint-*.h5)", from.display()),
            skipped => format!(
                "{}: none of its checkpoints is valid:\n{}",
                from.display(),
                skipped.trim_end()
            ),
        };
        return Err((message, 2));
    }
    Ok(format!(
        "{skipped}{}: {drawn} pictures, frame-00000.png and on",
        to.display()
    ))
}

/// Writes a picture under another name first: it is complete or absent.
fn write(picture: &Picture, to: &Path) -> Result<(), Told> {
    let bytes = picture.png().map_err(|e| (e, 4))?;
    put(to, &bytes)
}

/// Writes a file under another name first: it is complete or absent.
pub(super) fn put(to: &Path, bytes: &[u8]) -> Result<(), Told> {
    let temporary = own_temporary(to);
    let written = std::fs::write(&temporary, bytes).and_then(|()| std::fs::rename(&temporary, to));
    written.map_err(|e| {
        let _ = std::fs::remove_file(&temporary);
        (format!("{}: cannot be written: {e}", to.display()), 4)
    })
}
