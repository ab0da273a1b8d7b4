//! The forming of batches from contacts.

use super::{Batch, Batches, Couple, Dealt, LANES, Line, Places, Run, split};
use crate::body::Member;
use crate::law::Kind;
use crate::math::make_room;

/// Number of batches that are open to more contacts at a time. A body's bit mask marks those that
/// contain it.
const OPEN: usize = 64;

/// Forms batches; keeps its working memory.
#[derive(Clone, Debug, Default)]
pub struct Former {
    /// For each body, the open batches that contain it.
    taken: Vec<u64>,
}

impl Former {
    /// Puts contacts into batches; the batches are emptied first.
    ///
    /// The contacts come in the given order (indices in `dealt`). Each goes into the first open
    /// batch of its kind that contains neither of its bodies. `members` say which bodies impulses
    /// can move; the last is immovable.
    pub fn form(
        &mut self,
        batches: &mut Batches,
        dealt: &Dealt,
        order: &[u32],
        members: &[Member],
    ) {
        let still = members.len() - 1;
        assert!(still <= usize::from(u16::MAX), "a block of {still} bodies");
        let still = still as u16;
        batches.small = usize::from(still) < Batches::SMALL;
        batches.all.clear();
        make_room(&mut batches.all, dealt.len().div_ceil(LANES));
        batches.runs.clear();
        batches.slots.clear();
        batches.slots.resize(dealt.len(), 0);
        batches.parts.clear();
        batches.couples.clear();
        for kind in Kind::all().filter(|kind| dealt.seen & 1 << kind.index() != 0) {
            let first = batches.all.len();
            self.fill(batches, (dealt, kind), order, members, still);
            let run = Run {
                first,
                end: batches.all.len(),
                lines: kind.numbers(),
                places: Places {
                    kind,
                    parts: batches.parts.len(),
                    couples: batches.couples.len(),
                },
            };
            for _ in run.first..run.end {
                let numbers = kind.neutral().map(|x| Line([x; LANES]));
                batches.parts.extend(numbers);
            }
            if kind.turns() {
                let end = run.places.couples + run.end - run.first;
                batches.couples.resize(end, Couple::ZERO);
            }
            batches.runs.push(run);
        }
        for (k, &(kind, first)) in dealt.kinds.iter().enumerate() {
            if kind == Kind::PLAIN {
                continue;
            }
            let (batch, lane) = split(batches.slots[k]);
            let Places { parts, couples, .. } = batches.places(batch);
            let numbers = kind.numbers();
            let all = &dealt.numbers[first as usize..];
            let lines = &mut batches.parts[parts..parts + numbers];
            for (line, number) in lines.iter_mut().zip(all) {
                line.0[lane] = *number;
            }
            if kind.turns() {
                let couple = &all[numbers..numbers + 3];
                for (eight, number) in batches.couples[couples].0.iter_mut().zip(couple) {
                    eight[lane] = *number;
                }
            }
        }
    }

    fn fill(
        &mut self,
        into: &mut Batches,
        (dealt, kind): (&Dealt, Kind),
        order: &[u32],
        members: &[Member],
        still: u16,
    ) {
        let taken = &mut self.taken;
        taken.clear();
        taken.resize(members.len(), 0);
        // The open batches as bits, their numbers, and their numbers of contacts.
        let mut open = 0u64;
        let mut batches = [(0usize, 0usize); OPEN];
        for &k in order {
            if dealt.kinds[k as usize].0 != kind {
                continue;
            }
            let contact = &dealt.contacts[k as usize];
            let [a, b] = contact.place;
            let [a_moves, b_moves] = [members[a as usize].moves(), members[b as usize].moves()];
            let mut met = 0;
            if a_moves {
                met |= taken[a as usize];
            }
            if b_moves {
                met |= taken[b as usize];
            }
            let mut fit = open & !met;
            if fit == 0 {
                let free = (!open).trailing_zeros() as usize;
                let place = if free < OPEN {
                    free
                } else {
                    // All are open and none can take the contact: close the fullest.
                    let fullest = |k: &usize| (batches[*k].1, OPEN - k);
                    (0..OPEN).max_by_key(fullest).unwrap_or_default()
                };
                open |= 1 << place;
                taken.iter_mut().for_each(|bits| *bits &= !(1 << place));
                batches[place] = (into.all.len(), 0);
                let wanted = into.all.len() + 1;
                make_room(&mut into.all, wanted);
                into.all.push(Batch::empty(still));
                fit = 1 << place;
            }
            let place = fit.trailing_zeros() as usize;
            let (batch, lane) = batches[place];
            into.all[batch].put(lane, contact);
            into.slots[k as usize] = (batch * LANES + lane) as u32;
            batches[place].1 += 1;
            if a_moves {
                taken[a as usize] |= 1 << place;
            }
            if b_moves {
                taken[b as usize] |= 1 << place;
            }
            if lane + 1 == LANES {
                open &= !(1 << place);
            }
        }
    }
}
