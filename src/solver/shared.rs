//! Items that the threads of a rank read and write at the same time, each at indices of its own.

#![allow(unsafe_code)]

use super::lanes::prefetch;
use std::marker::PhantomData;

/// Items that several threads read and write at once, each thread its own.
#[derive(Debug)]
pub(super) struct Shared<'a, T> {
    first: *mut T,
    len: usize,
    of: PhantomData<&'a mut [T]>,
}

// SAFETY: a pointer is shared; the callers below guarantee how it is used.
unsafe impl<T: Copy + Send + Sync> Sync for Shared<'_, T> {}

impl<'a, T: Copy> Shared<'a, T> {
    /// All items; nobody else may use them as long as this lives.
    pub(super) fn new(items: &'a mut [T]) -> Self {
        Self {
            first: items.as_mut_ptr(),
            len: items.len(),
            of: PhantomData,
        }
    }

    /// Prefetches the item at an index.
    #[inline(always)]
    pub(super) fn prefetch(&self, place: usize) {
        prefetch::<true, _>(self.first.wrapping_add(place));
    }

    /// The item at an index.
    ///
    /// # Safety
    /// No thread may write at this index at the same time.
    #[inline]
    pub(super) unsafe fn read(&self, place: usize) -> T {
        assert!(place < self.len);
        // SAFETY: the index is inside the slice; the caller guarantees that no thread writes there.
        unsafe { self.first.add(place).read() }
    }

    /// Writes an item to its index.
    ///
    /// # Safety
    /// No other thread may read or write at this index at the same time.
    #[inline]
    pub(super) unsafe fn write(&self, place: usize, item: &T) {
        assert!(place < self.len);
        // SAFETY: the index is inside the slice; the caller guarantees exclusive access there.
        unsafe { self.first.add(place).write(*item) }
    }
}
