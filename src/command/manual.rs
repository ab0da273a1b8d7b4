//! Shell completions and manual pages, made by clap's own crates.

use super::parser;
use clap_complete::Shell;
use clap_mangen::Man;
use std::fs;
use std::path::Path;

/// The completion script of a shell.
pub fn completions(shell: Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut parser(), "moreau", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// The manual page (roff) of a command, such as `["fclib", "solve"]`, or of the program for no
/// words.
///
/// # Errors
/// If the command does not exist; the message lists the existing ones.
pub fn page(words: &[String]) -> Result<String, String> {
    let program = parser();
    let mut command = &program;
    for word in words {
        let Some(found) = command.find_subcommand(word) else {
            let names: Vec<&str> = command.get_subcommands().map(|c| c.get_name()).collect();
            let whole = command.get_bin_name().unwrap_or("moreau");
            let accepted = match names.as_slice() {
                [] => "left out".to_owned(),
                names => format!("one of {}", names.join(", ")),
            };
            return Err(format!(
                "command of {whole}: must be {accepted}; found {word}"
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

/// Writes the manual pages of the program and all its commands, `moreau.1`, `moreau-run.1` and so
/// on.
///
/// The folder is created if it does not exist. Returns a message.
///
/// # Errors
/// With status 2 if the folder cannot be made, with status 4 on a failure to write into it.
pub fn pages(folder: &Path) -> Result<String, (String, i32)> {
    if folder.exists() && !folder.is_dir() {
        let message = format!("--out {}: must be a folder; found a file", folder.display());
        return Err((message, 2));
    }
    fs::create_dir_all(folder).map_err(|e| {
        let accepted = "must be a folder that can be made and written to";
        (
            format!("--out {}: {accepted}; found {e}", folder.display()),
            2,
        )
    })?;
    let written = clap_mangen::generate_to(parser(), folder);
    written.map_err(|e| (format!("{}: {e}", folder.display()), 4))?;
    Ok(format!(
        "wrote moreau.1 and the pages of all commands to {}",
        folder.display()
    ))
}
