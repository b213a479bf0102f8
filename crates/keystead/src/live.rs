//! A description that is reloaded from its file, and kept when the new one is bad (feature `std`).

use std::{
    error, fmt, fs, io,
    path::{Path, PathBuf},
    string::String,
    sync::{Arc, Mutex, PoisonError},
    vec::Vec,
};

use arc_swap::ArcSwap;

use crate::{Constraints, Description, Error, Explanation, Key, Refresh, Secrets};

/// Holds the last good cluster or transition of a file.
///
/// The service calls [`refresh`](LiveCluster::refresh) when it likes: there is no thread and no timer. Readers in other threads are
/// never blocked and see the old description or the new one, never half a change.
///
/// ```
/// use keystead::{LiveCluster, Refresh, Secrets};
/// let path = std::env::temp_dir().join(format!("keystead-live-{}.json", std::process::id()));
/// std::fs::write(&path, r#"{"keystead": 1, "epoch": 1, "nodes": ["a"]}"#)?;
/// let live = LiveCluster::load(&path, Secrets::default())?;
///
/// std::fs::write(&path, r#"{"keystead": 1, "epoch": 2, "nodes": ["a", "b"]}"#)?;
/// assert_eq!(live.refresh()?, Refresh::Newer);
///
/// std::fs::write(&path, r#"{"keystead": 1, "epoch": 1, "nodes": ["a"]}"#)?;
/// assert_eq!(live.refresh().unwrap_err().code(), Some("stale_epoch"));
/// assert_eq!(live.current().clusters()[0].len(), 2); // the last good one is kept
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct LiveCluster {
    path: PathBuf,
    secrets: OwnedSecrets,
    current: ArcSwap<Description>,
    /// One refresh at a time: two that overlap could put an older file over a newer one.
    refreshing: Mutex<()>,
}

/// Secrets that outlive the call that hands them over.
struct OwnedSecrets {
    before: Option<Vec<u8>>,
    after: Option<Vec<u8>>,
    apart: bool,
}

impl OwnedSecrets {
    fn new(secrets: Secrets<'_>) -> OwnedSecrets {
        let (before, after) = secrets.each();
        OwnedSecrets { before: before.map(Vec::from), after: after.map(Vec::from), apart: secrets.are_apart() }
    }

    fn lent(&self) -> Secrets<'_> {
        if self.apart {
            return Secrets::for_each(self.before.as_deref(), self.after.as_deref());
        }
        Secrets::one_for_all(self.before.as_deref())
    }
}

/// Why a file was not taken over.
#[derive(Debug)]
pub enum LiveError {
    /// It could not be read.
    Io(io::Error),
    /// It was read, and is invalid or must not follow the one in force.
    Keystead(Error),
}

impl LiveError {
    /// The stable code, unless the file could not be read.
    pub fn code(&self) -> Option<&'static str> {
        match self {
            LiveError::Io(_) => None,
            LiveError::Keystead(error) => Some(error.code()),
        }
    }
}

impl fmt::Display for LiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LiveError::Io(error) => error.fmt(f),
            LiveError::Keystead(error) => error.fmt(f),
        }
    }
}

impl error::Error for LiveError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            LiveError::Io(error) => Some(error),
            LiveError::Keystead(error) => Some(error),
        }
    }
}

impl From<io::Error> for LiveError {
    fn from(error: io::Error) -> LiveError {
        LiveError::Io(error)
    }
}

impl From<Error> for LiveError {
    fn from(error: Error) -> LiveError {
        LiveError::Keystead(error)
    }
}

impl LiveCluster {
    /// Reads the file for the first time.
    ///
    /// # Errors
    /// What reading the file says, and the codes of [`Description::from_json`].
    pub fn load(path: impl AsRef<Path>, secrets: Secrets<'_>) -> Result<LiveCluster, LiveError> {
        let path = path.as_ref().to_path_buf();
        let description = Description::from_json(&fs::read(&path)?, secrets)?;
        Ok(LiveCluster {
            path,
            secrets: OwnedSecrets::new(secrets),
            current: ArcSwap::from_pointee(description),
            refreshing: Mutex::new(()),
        })
    }

    /// Reads the file again, by its path: its content decides, not its time stamp. What it holds is in force afterwards, unless an
    /// error says why the old description is kept.
    ///
    /// # Errors
    /// What reading the file says, the codes of [`Description::from_json`], and those of [`Description::followed_by`].
    pub fn refresh(&self) -> Result<Refresh, LiveError> {
        let _alone = self.refreshing.lock().unwrap_or_else(PoisonError::into_inner);
        let next = Description::from_json(&fs::read(&self.path)?, self.secrets.lent())?;
        let refresh = self.current.load().followed_by(&next)?;
        self.current.store(Arc::new(next));
        Ok(refresh)
    }

    /// The description in force: one that several questions can be put to, however often the file changes meanwhile.
    pub fn current(&self) -> Arc<Description> {
        self.current.load_full()
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The id of the node that owns the key now.
    pub fn owner<K: Key>(&self, key: K) -> String {
        self.current.load().owner(key).id().into()
    }

    /// The id of the node that owns the key now when some are excluded.
    ///
    /// # Errors
    /// As [`Description::owner_with`].
    pub fn owner_with<K: Key>(&self, key: K, constraints: &Constraints) -> Result<String, Error> {
        self.current.load().owner_with(key, constraints).map(|node| node.id().into())
    }

    /// The ids of up to `limit` nodes, best first for the key now.
    ///
    /// # Errors
    /// As [`Description::ranking_with`].
    pub fn ranking<K: Key>(&self, key: K, limit: usize, constraints: &Constraints) -> Result<Vec<String>, Error> {
        let current = self.current.load();
        let ranking = current.ranking_with(key, constraints)?;
        Ok(ranking.take(limit).map(|node| node.id().into()).collect())
    }

    /// The ids of `r` nodes for the key now.
    ///
    /// # Errors
    /// As [`Description::replicas_with`].
    pub fn replicas<K: Key>(&self, key: K, r: u64, constraints: &Constraints) -> Result<Vec<String>, Error> {
        let current = self.current.load();
        let picked = current.replicas_with(key, r, constraints)?;
        Ok(picked.nodes().iter().map(|node| node.id().into()).collect())
    }

    /// Why the key goes where it goes now.
    ///
    /// # Errors
    /// As [`Description::explain`].
    pub fn explain<K: Key>(&self, key: K, r: u64, constraints: &Constraints) -> Result<Explanation, Error> {
        self.current.load().explain(key, r, constraints)
    }

    /// The ids of the nodes where the key can be now: its owner, and during a transition the other cluster's owner where that differs.
    pub fn candidates<K: Key>(&self, key: K) -> Vec<String> {
        self.current.load().candidates(key).into_iter().map(|node| node.id().into()).collect()
    }
}

impl fmt::Debug for LiveCluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LiveCluster")
            .field("path", &self.path)
            .field("current", &**self.current.load())
            .finish_non_exhaustive()
    }
}
