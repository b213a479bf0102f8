//! Cluster and transition files: one JSON object, the same in every language (feature `json`).

mod read;
mod write;

use alloc::string::String;

use crate::{
    Cluster, Description, Transition,
    error::{Error, ErrorKind},
    json::Reader,
};

impl Cluster {
    /// Reads a cluster file. `secret` is that of hash `sip13`, which is never in a file.
    ///
    /// ```
    /// use keystead::Cluster;
    /// let text = br#"{"keystead": 1, "nodes": ["cache-a", {"id": "cache-b", "weight": 2}]}"#;
    /// assert_eq!(Cluster::from_json(text, None)?.node("cache-b")?.get_weight(), 2);
    ///
    /// let error = Cluster::from_json(b"{\"keystead\": 1,\n \"nodes\": [null]}", None).unwrap_err();
    /// let place = error.position().unwrap();
    /// assert_eq!((error.code(), place.line, place.column), ("invalid_file", 2, 12));
    /// # Ok::<(), keystead::Error>(())
    /// ```
    ///
    /// # Errors
    /// `unsupported_version` for a well-formed file of another version, whatever else it holds. `invalid_file`, with
    /// [`position`](Error::position), for what breaks the form: not one JSON object in UTF-8, a member that is unknown, repeated
    /// or missing, null, a value of another type or form. `invalid_text` for an escaped lone surrogate. Else the codes of
    /// [`ClusterBuilder::build`](crate::ClusterBuilder::build), with a position where one value is at fault.
    pub fn from_json(text: &[u8], secret: Option<&[u8]>) -> Result<Cluster, Error> {
        read::cluster(&mut Reader::new(text)?, secret)
    }

    /// Writes a cluster file: indented by 2 spaces, one node a line, a newline at the end, never a secret. What is read back has
    /// the same fingerprint and epoch, and gives back what the description and its nodes carry.
    ///
    /// ```
    /// use keystead::Cluster;
    /// let cluster = Cluster::rendezvous(["cache-a", "cache-b"])?.with_weight("cache-b", 2)?.with_epoch(Some(7))?;
    /// let file = r#"{
    ///   "keystead": 1,
    ///   "algorithm": "rendezvous-1",
    ///   "hash": "xxh3",
    ///   "seed": "0x0000000000000000",
    ///   "epoch": 7,
    ///   "nodes": [
    ///     "cache-a",
    ///     {"id": "cache-b", "weight": 2}
    ///   ]
    /// }
    /// "#;
    /// assert_eq!(cluster.to_json(), file);
    /// # Ok::<(), keystead::Error>(())
    /// ```
    pub fn to_json(&self) -> String {
        write::cluster(self)
    }
}

/// The secrets that are handed over beside a file, which never holds one.
#[derive(Clone, Copy, Default)]
pub struct Secrets<'a> {
    before: Option<&'a [u8]>,
    after: Option<&'a [u8]>,
    apart: bool,
}

impl<'a> Secrets<'a> {
    /// One secret, or none. In a transition it serves each cluster with `sip13`.
    pub const fn one_for_all(secret: Option<&'a [u8]>) -> Secrets<'a> {
        Secrets { before: secret, after: secret, apart: false }
    }

    /// A secret for each cluster of a transition.
    pub const fn for_each(before: Option<&'a [u8]>, after: Option<&'a [u8]>) -> Secrets<'a> {
        Secrets { before, after, apart: true }
    }

    pub(crate) const fn each(self) -> (Option<&'a [u8]>, Option<&'a [u8]>) {
        (self.before, self.after)
    }

    #[cfg(feature = "std")]
    pub(crate) const fn are_apart(self) -> bool {
        self.apart
    }

    fn one(self) -> Result<Option<&'a [u8]>, Error> {
        if self.apart {
            let message = "a secret for each cluster is given, and the file holds one cluster only";
            return Err(Error::new(ErrorKind::UnexpectedSecret, message));
        }
        Ok(self.before)
    }
}

impl core::fmt::Debug for Secrets<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Secrets(hidden)")
    }
}

impl Transition {
    /// Reads a transition file.
    ///
    /// # Errors
    /// As [`Description::from_json`]; `invalid_file` for a cluster file.
    pub fn from_json(text: &[u8], secrets: Secrets<'_>) -> Result<Transition, Error> {
        read::transition(&mut Reader::new(text)?, secrets)
    }

    /// Writes a transition file: indented by 2 spaces, one node a line, never a secret. What is read back has the same fingerprint
    /// and epoch, and gives back what is carried.
    pub fn to_json(&self) -> String {
        write::transition(self)
    }
}

impl Description {
    /// Reads a file that holds a cluster or a transition.
    ///
    /// ```
    /// use keystead::{Description, Secrets};
    /// let text = br#"{"keystead": 1, "epoch": 44, "transition": {"part": 2, "of": 6,
    ///     "before": {"keystead": 1, "nodes": ["a", "b"]}, "after": {"keystead": 1, "nodes": ["a", "b", "c"]}}}"#;
    /// let Description::Transition(step) = Description::from_json(text, Secrets::default())? else { panic!() };
    /// assert_eq!((step.gate().part(), step.gate().of(), step.epoch()), (2, 6, Some(44)));
    /// # Ok::<(), keystead::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Cluster::from_json`]. `unexpected_secret` for a secret of which no cluster in the file makes use.
    pub fn from_json(text: &[u8], secrets: Secrets<'_>) -> Result<Description, Error> {
        read::description(&mut Reader::new(text)?, secrets)
    }

    /// Writes the file.
    pub fn to_json(&self) -> String {
        match self {
            Description::Cluster(cluster) => cluster.to_json(),
            Description::Transition(transition) => transition.to_json(),
        }
    }
}
