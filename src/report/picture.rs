//! Pictures of checkpoints and frames as files: `moreau render`.

use super::subject::{Subject, files, is_series};
use crate::io::own_temporary;
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

/// Draws a checkpoint or a frame to a PNG file, or each one of several to a numbered one.
///
/// Several are those of a folder or of a table of contents, or more than one path. The numbered
/// files go to another folder. Returns a summary.
///
/// # Errors
/// With status 2 for bad input; with status 4 for a picture that cannot be written.
pub fn render(from: &[PathBuf], to: &Path, request: &Request) -> Result<String, (String, i32)> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(request.threads.unwrap_or(0));
    let pool = pool
        .build()
        .map_err(|e| (format!("--threads: no threads can be started: {e}"), 2))?;
    pool.install(|| match from {
        [one] if !is_series(one) => single(one, to, request),
        _ => animation(from, to, request),
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
    let state = Subject::read(from, &request.view).map_err(|e| (e, 2))?;
    let read = begin.elapsed();
    let begin = Instant::now();
    let picture = draw(&state, &view_of(&state, request, Fit::Bodies)).map_err(|e| (e, 2))?;
    let drawn = begin.elapsed();
    write(&picture, to)?;
    let bodies = state.bodies();
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

fn view_of(state: &Subject, request: &Request, fit: Fit) -> View {
    let mut view = request.view.clone();
    view.fit = request.fit.unwrap_or(fit);
    if request.standard && state.is_flat() {
        let above = render::direction("z");
        (view.from, view.up) = above.unwrap_or((view.from, view.up));
    }
    view
}

fn draw(state: &Subject, view: &View) -> Result<Picture, String> {
    render::draw(&state.scene(view), view)
}

/// Bytes of files kept in memory between the search for the range of colours and the drawing.
///
/// Files beyond are read a second time.
const HELD: u64 = 1 << 30;

/// Files named at most where none can be drawn.
const MOST_NAMED: usize = 5;

/// One picture per checkpoint or frame, all with the same colours.
///
/// Files that are damaged, or vanish before their turn, are skipped and named.
fn animation(from: &[PathBuf], to: &Path, request: &Request) -> Result<String, Told> {
    let refused = |found: &str, accepted: &str| {
        let message = format!("--output {}: {found}; accepted: {accepted}", to.display());
        Err((message, 2))
    };
    let names: Vec<String> = from.iter().map(|path| path.display().to_string()).collect();
    if to.exists() && !to.is_dir() {
        return refused(
            "a file",
            &format!("a folder, for {} is a series", names.join(" ")),
        );
    }
    let mut paths = Vec::new();
    for path in from {
        paths.extend(files(path).map_err(|e| (e, 2))?);
    }
    let named_as_picture = to
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("png"));
    if !to.exists() && named_as_picture {
        return refused(
            "the name of a picture",
            &format!(
                "that of a folder, for there is one picture per checkpoint or frame of {}",
                names.join(" ")
            ),
        );
    }
    let mut skipped = String::new();
    let mut skip = |error: String| skipped.push_str(&format!("SKIPPED: {error}\n"));
    let mut waiting: Vec<(PathBuf, Option<Subject>)> = Vec::new();
    let mut range = request.view.range;
    if range.is_some() {
        waiting.extend(paths.into_iter().map(|path| (path, None)));
    } else {
        let mut held = 0;
        for path in paths {
            let state = match Subject::read(&path, &request.view) {
                Ok(state) => state,
                Err(error) => {
                    skip(error);
                    continue;
                }
            };
            let view = view_of(&state, request, Fit::Domain);
            let [low, high] = render::natural_range(&state.scene(&view), &view);
            let wide = range.map_or([low, high], |[l, h]| [l.min(low), h.max(high)]);
            range = Some(wide);
            held += std::fs::metadata(&path).map_or(HELD, |file| file.len());
            waiting.push((path, (held <= HELD).then_some(state)));
        }
    }
    let made = to.exists();
    let mut drawn = 0;
    for (path, state) in waiting {
        let state = match state.map_or_else(|| Subject::read(&path, &request.view), Ok) {
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
        let message = format!(
            "{}: none of its checkpoints or frames can be drawn:\n{}",
            names.join(" "),
            skipped
                .lines()
                .take(MOST_NAMED)
                .collect::<Vec<_>>()
                .join("\n")
        );
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
