//! Memory for the test, given out once and never taken back.

use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicUsize, Ordering};

const SIZE: usize = 1 << 20;

#[repr(align(64))]
struct Arena {
    memory: UnsafeCell<[u8; SIZE]>,
    used: AtomicUsize,
}

// SAFETY: every byte is handed out to one caller only, by the atomic counter.
unsafe impl Sync for Arena {}

// SAFETY: a block starts at an aligned address past all earlier ones and ends within the arena; blocks are never given back.
unsafe impl GlobalAlloc for Arena {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // Room for the alignment is taken with the block; the arena itself is aligned to 64.
        let taken = self.used.fetch_add(layout.size() + layout.align(), Ordering::Relaxed);
        let start = taken.next_multiple_of(layout.align());
        if layout.align() > 64 || start + layout.size() > SIZE {
            return null_mut();
        }
        self.memory.get().cast::<u8>().wrapping_add(start)
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

#[global_allocator]
static ARENA: Arena = Arena { memory: UnsafeCell::new([0; SIZE]), used: AtomicUsize::new(0) };
