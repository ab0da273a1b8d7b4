//! The program `moreau`: command line to exit status, and nothing else.

use clap::Parser;
use moreau::bench;
use moreau::comm::{Comm, is_first_process, launch, threads::Serial};
use moreau::command::{self, Cli, Command, Fclib};
use moreau::config;
use moreau::fclib;
use moreau::report;
use moreau::report::convert::convert;
use moreau::sim::{self, Options};
use std::io::Write;

/// From here on signals end a run in order. On a system that refuses them the run continues.
fn listen() {
    if let Err(error) = sim::listen() {
        eprintln!("moreau: signals will end the run at once: {error}");
    }
}

fn main() {
    std::process::exit(status());
}

fn status() -> i32 {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(told) if !told.use_stderr() => {
            // Help or version, once a job; a closed pipe is not an error.
            if is_first_process() {
                let _ = told.print();
            }
            return 0;
        }
        Err(error) => {
            return launch(|comm: &dyn Comm| {
                if comm.rank() == 0 {
                    let _ = error.print();
                }
                2
            });
        }
    };
    match cli.command {
        Command::Run {
            config,
            run,
            or_resume,
            kept_files,
        } => {
            let mut options = run.options();
            options.or_resume = or_resume;
            options.kept_files = kept_files;
            listen();
            launch(|comm| sim::run(comm, &config, &options))
        }
        Command::Resume {
            from,
            run,
            kept_files,
        } => {
            let mut options = run.options();
            options.kept_files = kept_files;
            listen();
            launch(|comm| sim::resume(comm, &from, &options))
        }
        Command::Check { config, set, unset } => {
            let options = Options {
                set: command::overrides(unset, set),
                ..Options::default()
            };
            told(sim::check(&Serial, &config, &options).map_err(|e| (e.to_string(), e.status())))
        }
        Command::Bench {
            csv,
            sides,
            threads,
        } => {
            let sides: Vec<usize> = sides.into_iter().map(usize::from).collect();
            let figures = bench::figures(&sides, usize::from(threads));
            told(bench::told(&figures, csv).map_err(|e| (e.to_string(), 101)))
        }
        Command::Render(args) => {
            let request = args.request().map_err(|e| (e, 2));
            told(request.and_then(|request| report::render(&args.from, &args.output, &request)))
        }
        Command::Report { dir } => told(report::page(&dir)),
        Command::Keys { name } => told(config::keys(name.as_deref()).map_err(|e| (e, 2))),
        Command::Info { file } => told(report::info(&file).map_err(|e| (e, 2))),
        Command::Elastic {
            from,
            csv,
            modes,
            out,
            set,
        } => {
            let text = match modes {
                Some(count) => sim::modes(&from, &set, csv, (count.into(), out.as_deref())),
                None => sim::elastic(&from, &set, csv),
            };
            told(text.map_err(|e| (e.to_string(), e.status())))
        }
        Command::Fclib { command } => match command {
            Fclib::Info { file } => told(fclib::info(&file).map_err(|e| (e, 2))),
            Fclib::Solve(args) => match args.options() {
                Ok((files, options)) => fclib::solve(&files, &options),
                Err(error) => told(Err((error, 2))),
            },
            Fclib::Reduce { file, out } => told(fclib::reduced(&file, &out)),
            Fclib::Export { checkpoint, out } => {
                let exported = fclib::export(&checkpoint, &out);
                told(exported.map_err(|e| (e.to_string(), e.status())))
            }
        },
        Command::Convert { from, to, out } => {
            told(convert(&from, to.into(), out.as_deref()).map_err(|e| (e.to_string(), e.status())))
        }
        Command::Completions { shell } => told(Ok(command::completions(shell))),
        Command::Man {
            command: _,
            out: Some(folder),
        } => told(command::pages(&folder)),
        Command::Man { command, out: None } => {
            told(command::page(&command).map_err(|error| (error, 2)))
        }
    }
}

fn told(result: Result<String, (String, i32)>) -> i32 {
    match result {
        Ok(text) => fclib::printed(format!("{text}\n").as_bytes()),
        Err((error, status)) => {
            let _ = writeln!(std::io::stderr().lock(), "moreau: {error}");
            status
        }
    }
}
