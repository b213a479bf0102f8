//! Whether standard output was closed when the command began (`keystead … >&-`).
//!
//! Before `main`, Rust's runtime opens `/dev/null` in place of a standard stream that is closed, so that no file gets its number. Then
//! every answer is written, and nobody has it. Only before that can a closed stream be told from one that is to be thrown away.

#[cfg(unix)]
mod before_main {
    use std::sync::atomic::{AtomicBool, Ordering};

    static CLOSED: AtomicBool = AtomicBool::new(false);

    // Safe before `main`: it asks the system about one number and keeps the answer in a static; nothing of the runtime is needed.
    ctor::declarative::ctor! {
        #[ctor(unsafe)]
        fn look() {
            let is_closed = rustix::io::fcntl_getfd(rustix::stdio::stdout()).is_err();
            CLOSED.store(is_closed, Ordering::Relaxed);
        }
    }

    pub(super) fn stdout() -> bool {
        CLOSED.load(Ordering::Relaxed)
    }
}

/// Whether nothing can be written to standard output.
pub(crate) fn stdout() -> bool {
    #[cfg(unix)]
    return before_main::stdout();
    #[cfg(not(unix))]
    return false;
}
