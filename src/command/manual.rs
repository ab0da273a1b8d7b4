//! What clap's own crates make of the command line: completions for shells, and manual pages.

use super::parser;
use clap_complete::Shell;
use clap_mangen::Man;
use std::fs;
use std::path::Path;

/// The script by which a shell completes the program's command lines.
pub fn completions(shell: Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut parser(), "moreau", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// The manual page (roff) of the command that these words name, as `["fclib", "solve"]`; of none the program's.
///
/// # Errors
/// If there is no such command; says which there are.
pub fn page(words: &[String]) -> Result<String, String> {
    let program = parser();
    let mut command = &program;
    for word in words {
        let Some(found) = command.find_subcommand(word) else {
            let names: Vec<&str> = command.get_subcommands().map(|c| c.get_name()).collect();
            let whole = command.get_bin_name().unwrap_or("moreau");
            let accepted = match names.as_slice() {
                [] => "nothing after it".to_owned(),
                names => names.join(", "),
            };
            return Err(format!(
                "{word}: no command of {whole}; accepted: {accepted}"
            ));
        };
        command = found;
    }
    let mut roff = Vec::new();
    Man::new(command.clone())
        .render(&mut roff)
        .map_err(|e| e.to_string())?;
    Ok(String::from_utf8_lossy(&roff).into_owned())
}

/// Writes the manual pages of the program and of each of its commands into a folder, `moreau.1`, `moreau-run.1` and so on; the folder is made
/// if it is not there. Returns what there is to say.
///
/// # Errors
/// If there is a file in place of the folder, with status 2; if the folder or a page cannot be written, with status 4.
pub fn pages(folder: &Path) -> Result<String, (String, i32)> {
    if folder.exists() && !folder.is_dir() {
        let message = format!("--out {}: a file; accepted: a folder", folder.display());
        return Err((message, 2));
    }
    let written =
        fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(parser(), folder));
    written.map_err(|e| (format!("{}: {e}", folder.display()), 4))?;
    Ok(format!(
        "wrote moreau.1 and the pages of all commands to {}",
        folder.display()
    ))
}
