//! What the threads of a rank that visit blocks at the same time all read and write, each at places of its own.

#![allow(unsafe_code)]

use std::marker::PhantomData;

/// Items that several threads read and write at once, each its own.
pub(super) struct Shared<'a, T> {
    first: *mut T,
    len: usize,
    of: PhantomData<&'a mut [T]>,
}

// SAFETY: what is shared is a pointer; who follows it vouches for what it does, below.
unsafe impl<T: Copy + Send + Sync> Sync for Shared<'_, T> {}

impl<'a, T: Copy> Shared<'a, T> {
    /// All items, which nobody else may use as long as this lives.
    pub(super) fn new(items: &'a mut [T]) -> Self {
        Self {
            first: items.as_mut_ptr(),
            len: items.len(),
            of: PhantomData,
        }
    }

    /// The item at a place.
    ///
    /// # Safety
    /// Nobody writes at this place at the same time.
    #[inline]
    pub(super) unsafe fn read(&self, place: usize) -> T {
        assert!(place < self.len);
        // SAFETY: inside the slice; the caller vouches that nobody writes there.
        unsafe { self.first.add(place).read() }
    }

    /// Writes an item to its place.
    ///
    /// # Safety
    /// Nobody reads or writes at this place at the same time.
    #[inline]
    pub(super) unsafe fn write(&self, place: usize, item: &T) {
        assert!(place < self.len);
        // SAFETY: inside the slice; the caller vouches that nobody else is there.
        unsafe { self.first.add(place).write(*item) }
    }
}
