//! The writing of frames during a run.
//!
//! A frame that cannot be written is reported and counted, and the run continues. It is not written
//! later, as its step is over.

use super::Output;
use super::film::Told;
use crate::comm::agree;
use crate::domain::migration::Parcel;
use crate::io::vtkhdf::Kind;
use crate::scheme::{Clock, Verb};
use crate::sim::error::RunError;
use crate::sim::now::Now;
use std::time::Instant;

impl Output {
    /// Writes a frame of this step, if one is due and does not exist. Collective.
    pub(in crate::sim) fn frame(&mut self, now: &mut Now) -> Result<(), RunError> {
        let (step, every) = (now.state.clock.step, now.scenario.output.every);
        if every == 0 || !step.is_multiple_of(every) {
            return Ok(());
        }
        if self.film.frames.has(step) {
            self.renew_wear(now);
            return Ok(());
        }
        let begin = Instant::now();
        let comm = now.comm;
        let here = agree(comm, self.is_here());
        let snapshot = self.snapshot(now);
        let result = here.and_then(|()| {
            let written = self.film.frames.write(comm, &snapshot);
            written.map_err(|e| e.to_string())
        });
        now.state.parcel = Parcel {
            bodies: snapshot.bodies,
            contacts: snapshot.contacts,
        };
        match result {
            Ok(()) => self.film.written += 1,
            Err(fault) => {
                if comm.rank() == 0 {
                    tell!("moreau: WARNING: {fault}; the run continues without this frame");
                }
                self.film.failed += 1;
                self.film.fault = fault;
            }
        }
        self.renew_wear(now);
        let took = begin.elapsed();
        self.film.time += took;
        now.timers.add(Verb::Io, took);
        Ok(())
    }

    /// Begins the impulses on triangles anew if the frame of this step has them.
    fn renew_wear(&self, now: &mut Now) {
        let Clock { step, time, .. } = now.state.clock;
        if let Some(wear) = &mut now.state.wear
            && self.film.frames.last(Kind::Surfaces) == Some(step)
        {
            wear.renew(time);
        }
    }

    /// The numbers of frames so far.
    pub(in crate::sim) fn frames(&self) -> Told {
        let film = &self.film;
        Told {
            written: film.written,
            time: film.time,
            failed: film.failed,
        }
    }

    /// Fails unless all frames were written.
    ///
    /// # Errors
    /// [`RunError::Incomplete`] if frames are missing.
    pub(in crate::sim) fn all_frames(&self) -> Result<(), RunError> {
        match &self.film {
            film if film.failed > 0 => Err(RunError::Incomplete(format!(
                "{} frames could not be written, the last because of: {}",
                film.failed, film.fault
            ))),
            _ => Ok(()),
        }
    }
}
