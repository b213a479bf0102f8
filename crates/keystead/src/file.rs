//! Cluster files: one JSON object, the same in every language (feature `json`).

mod read;
mod write;

use alloc::string::String;

use crate::{Cluster, error::Error, json::Reader};

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
