//! The members of a rank, shared by the threads that visit the blocks of one colour.

#![allow(unsafe_code)]

use crate::body::Member;
use std::marker::PhantomData;

/// Members that several threads read and write at once, each its own.
pub(super) struct Shared<'a> {
    first: *mut Member,
    len: usize,
    of: PhantomData<&'a mut [Member]>,
}

// SAFETY: what is shared is a pointer; who follows it vouches for what it does, below.
unsafe impl Sync for Shared<'_> {}

impl<'a> Shared<'a> {
    /// All members, which nobody else may use as long as this lives.
    pub(super) fn new(members: &'a mut [Member]) -> Self {
        Self {
            first: members.as_mut_ptr(),
            len: members.len(),
            of: PhantomData,
        }
    }

    /// The member at a place.
    ///
    /// # Safety
    /// Nobody writes at this place at the same time.
    #[inline]
    pub(super) unsafe fn read(&self, place: usize) -> Member {
        assert!(place < self.len);
        // SAFETY: inside the slice; the caller vouches that nobody writes there.
        unsafe { self.first.add(place).read() }
    }

    /// Writes a member to its place.
    ///
    /// # Safety
    /// Nobody reads or writes at this place at the same time.
    #[inline]
    pub(super) unsafe fn write(&self, place: usize, member: &Member) {
        assert!(place < self.len);
        // SAFETY: inside the slice; the caller vouches that nobody else is there.
        unsafe { self.first.add(place).write(*member) }
    }
}
