//! Files of FCLib: read in all their forms, refused by name where they are at fault, reduced, solved, written; and the problem of a run's
//! next step as such a file.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

#[path = "fclib/collection.rs"]
mod collection;
#[path = "fclib/export.rs"]
mod export;
#[path = "fclib/files.rs"]
mod files;
#[path = "fclib/forms.rs"]
mod forms;
mod harness;
#[path = "fclib/program.rs"]
mod program;
#[path = "fclib/reduction.rs"]
mod reduction;
