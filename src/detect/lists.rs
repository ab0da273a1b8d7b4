//! Sorted pairs: for each body its partners with higher indices, ascending, each once.

use super::search::Found;

/// For each index a row of partners.
#[derive(Debug, Default)]
pub(super) struct Lists {
    /// Start of each row; two numbers more than rows, one of them for counting.
    start: Vec<usize>,
    partner: Vec<u32>,
}

impl Lists {
    /// Sorts pairs by their first index, and each row by its second.
    ///
    /// The pairs come in several parts, whose order does not matter.
    pub(super) fn fill(&mut self, places: usize, parts: &[Found]) {
        let Self { start, partner } = self;
        start.clear();
        start.resize(places + 2, 0);
        for [a, _] in parts.iter().flat_map(|part| &part.pairs) {
            start[*a as usize + 2] += 1;
        }
        let mut sum = 0;
        for entry in start.iter_mut() {
            sum += *entry;
            *entry = sum;
        }
        partner.resize(sum, 0);
        for [a, b] in parts.iter().flat_map(|part| &part.pairs) {
            let next = &mut start[*a as usize + 1];
            partner[*next] = *b;
            *next += 1;
        }
        for a in 0..places {
            sort(&mut partner[start[a]..start[a + 1]]);
        }
    }

    /// The number of partners in the rows before an index; at one past the last, of all.
    pub(super) fn before(&self, place: usize) -> usize {
        self.start[place]
    }

    /// The partners of an index, ascending, each once.
    #[inline]
    pub(super) fn of(&self, place: usize) -> impl Iterator<Item = u32> + '_ {
        let row = &self.partner[self.start[place]..self.start[place + 1]];
        let mut last = None;
        row.iter()
            .copied()
            .filter(move |&b| last.replace(b) != Some(b))
    }
}

/// Insertion sort: most rows have only a few partners.
#[inline]
fn sort(row: &mut [u32]) {
    if row.len() > 24 {
        return row.sort_unstable();
    }
    for end in 1..row.len() {
        let new = row[end];
        let mut k = end;
        while k > 0 && row[k - 1] > new {
            row[k] = row[k - 1];
            k -= 1;
        }
        row[k] = new;
    }
}
