//! The forming of batches from contacts.

use super::simple::{Simples, Unopened, open};
use super::{Batch, Batches, Couple, Dealt, LANES, Line, Places, Run, SIMPLE};
use crate::body::Member;
use crate::law::{Kind, Step};
use crate::math::make_room;

/// Number of batches that are open to more contacts at a time. A body's bit mask marks those that
/// contain it.
const OPEN: usize = 64;

/// Marks a lane without a contact.
const EMPTY: u32 = u32::MAX;

/// Forms batches; keeps its working memory.
#[derive(Clone, Debug, Default)]
pub struct Former {
    /// For each body, the open batches that contain it.
    taken: Vec<u64>,
    /// The contacts of each batch.
    lanes: Vec<[u32; LANES]>,
}

/// For contacts that are all given.
struct Given;

impl Simples for Given {
    fn get(&self, _: u32) -> Unopened<'_> {
        unreachable!("all contacts are given")
    }

    fn step(&self) -> &Step {
        unreachable!("all contacts are given")
    }
}

impl Former {
    /// Puts given contacts into batches, as [`Former::form_with`] does.
    pub fn form(
        &mut self,
        batches: &mut Batches,
        dealt: &Dealt,
        order: &[u32],
        members: &[Member],
    ) {
        self.form_with(batches, dealt, order, members, &Given);
    }

    /// Puts contacts into batches; the batches are emptied first.
    ///
    /// The contacts come in the given order (indices in `dealt`). Each goes into the first open
    /// batch of its kind that contains neither of its bodies. `members` say which bodies impulses
    /// can move; the last is immovable. `simples` are the contacts that are not given.
    pub fn form_with(
        &mut self,
        batches: &mut Batches,
        dealt: &Dealt,
        order: &[u32],
        members: &[Member],
        simples: &impl Simples,
    ) {
        let still = members.len() - 1;
        assert!(still <= usize::from(u16::MAX), "a block of {still} bodies");
        batches.small = still < Batches::SMALL;
        let mut all = std::mem::take(&mut batches.all);
        batches.clear();
        batches.slots.resize(dealt.len(), 0);
        self.lanes.clear();
        let mut lines = 0;
        for kind in dealt.seen.each() {
            let first = self.lanes.len();
            self.deal((dealt, kind), order, members, &mut batches.slots);
            let run = Run {
                first,
                end: self.lanes.len(),
                lines: kind.numbers(),
                places: Places {
                    kind,
                    parts: lines,
                    couples: batches.couples.len(),
                },
            };
            lines += (run.end - run.first) * run.lines;
            if kind.turns() {
                let end = run.places.couples + run.end - run.first;
                batches.couples.resize(end, Couple::ZERO);
            }
            batches.runs.push(run);
        }
        make_room(&mut batches.parts, lines);
        for run in &batches.runs {
            for _ in run.first..run.end {
                let numbers = run.places.kind.neutral().map(|x| Line([x; LANES]));
                batches.parts.extend(numbers);
            }
        }
        // Batches are overwritten in place.
        let count = self.lanes.len();
        make_room(&mut all, count);
        all.resize_with(count, || Batch::empty(0));
        batches.all = all;
        for (number, lanes) in self.lanes.iter().enumerate() {
            write(batches, (number, lanes), dealt, still as u16, simples);
        }
    }

    /// Distributes the contacts of one kind over batches.
    fn deal(
        &mut self,
        (dealt, kind): (&Dealt, Kind),
        order: &[u32],
        members: &[Member],
        slots: &mut [u32],
    ) {
        let Self { taken, lanes } = self;
        taken.clear();
        taken.resize(members.len(), 0);
        // The open batches as bits, their numbers, and their numbers of contacts.
        let mut open = 0u64;
        let mut batches = [(0usize, 0usize); OPEN];
        for &k in order {
            if dealt.kinds[k as usize].0 != kind {
                continue;
            }
            let [a, b] = dealt.places[k as usize];
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
                batches[place] = (lanes.len(), 0);
                lanes.push([EMPTY; LANES]);
                fit = 1 << place;
            }
            let place = fit.trailing_zeros() as usize;
            let (batch, lane) = batches[place];
            lanes[batch][lane] = k;
            slots[k as usize] = (batch * LANES + lane) as u32;
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

/// Writes the batch of these contacts.
fn write(
    batches: &mut Batches,
    (number, lanes): (usize, &[u32; LANES]),
    dealt: &Dealt,
    still: u16,
    simples: &impl Simples,
) {
    let Places {
        kind,
        parts,
        couples,
    } = batches.places(number);
    let batch = &mut batches.all[number];
    let contacts = lanes.iter().enumerate();
    let contacts = contacts
        .map(|(lane, &k)| (lane, k))
        .filter(|(_, k)| *k != EMPTY);
    let is_simple = |k: u32| dealt.kinds[k as usize].1 == SIMPLE;
    // A batch of which all contacts are opened is written as a whole.
    let given = contacts.clone().any(|(_, k)| !is_simple(k));
    if given {
        *batch = Batch::empty(still);
    } else {
        batch.place = [[still; LANES]; 2];
    }
    for (lane, k) in contacts.clone() {
        for side in 0..2 {
            batch.place[side][lane] = dealt.places[k as usize][side] as u16;
        }
    }
    if contacts.clone().any(|(_, k)| is_simple(k)) {
        let of = contacts.clone();
        let of = of.filter(|(_, k)| is_simple(*k));
        let lines = batches.parts[parts..].first_chunk_mut();
        let lines = lines.filter(|_| kind.has(Kind::SPRINGS));
        open(batch, lines, simples, of);
    }
    if !given {
        return;
    }
    for (lane, k) in contacts {
        let (kind, given) = dealt.kinds[k as usize];
        if given == SIMPLE {
            continue;
        }
        let (contact, first) = &dealt.given[given as usize];
        batch.put(lane, contact);
        if kind == Kind::PLAIN {
            continue;
        }
        let numbers = kind.numbers();
        let all = &dealt.numbers[*first as usize..];
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
