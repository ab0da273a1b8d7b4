//! A run after a step, in the form that output uses.

use super::ledger::Ledger;
use crate::comm::Comm;
use crate::config::Scenario;
use crate::domain::Domain;
use crate::scheme::{Physics, Scheme, State, Timers};

/// A run after a step, in the form that output uses.
pub(super) struct Now<'a> {
    pub comm: &'a dyn Comm,
    pub domain: &'a Domain<'a>,
    pub scenario: &'a Scenario,
    pub physics: &'a Physics,
    /// It may keep the contacts of the last step.
    pub scheme: &'a Scheme,
    pub state: &'a mut State,
    /// This rank's time spent on each verb since the program started.
    pub timers: &'a mut Timers,
    pub ledger: &'a Ledger,
}

impl Now<'_> {
    /// Brings the contacts of the last step to the state. Collective.
    pub(super) fn bring_contacts(&mut self) {
        self.scheme.bring_contacts(self.state, self.domain);
    }
}
