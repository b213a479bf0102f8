//! Where a secret comes from: a file, never an argument, which other users of the machine could read.

use crate::{
    failure::{Failure, Outcome, name_of},
    source::read,
};
use keystead::{Error, ErrorKind};
use std::path::Path;

/// The variable that names a secret file, for where `--secret-file` is not given.
const VARIABLE: &str = "KEYSTEAD_SECRET_FILE";

/// Builds what may need a secret.
///
/// A secret of `--secret-file` is handed over as it is, so one that nothing uses is an error. The file that the environment names
/// is read only where a secret is missing: a variable that is set for all commands does no harm to clusters that need none.
pub(crate) fn with_secret<T>(
    file: Option<&Path>,
    build: impl Fn(Option<&[u8]>) -> Result<T, Error>,
) -> Outcome<Result<T, Error>> {
    if let Some(path) = file {
        return Ok(build(Some(&read_secret(path)?)));
    }
    match build(None) {
        Err(error) if error.kind() == ErrorKind::MissingSecret => match std::env::var_os(VARIABLE) {
            Some(path) => Ok(build(Some(&read_secret(Path::new(&path))?))),
            None => Ok(Err(Error::new(error.kind(), format!("{error}; give --secret-file FILE or set {VARIABLE}")))),
        },
        result => Ok(result),
    }
}

/// The 16 bytes of a file of 32 hex digits, white space around them allowed. No message shows what the file holds.
fn read_secret(path: &Path) -> Outcome<Vec<u8>> {
    let content = read(path)?;
    let digits = content.trim_ascii();
    let wrong = |what: String| {
        Failure::new(ErrorKind::InvalidParameter, format!("{}: a secret is 32 hex digits, not {what}", name_of(path)))
    };
    if digits.len() != 32 {
        return Err(wrong(format!("{} bytes", digits.len())));
    }
    crate::keys::decode_hex(digits).ok_or_else(|| wrong("other characters".to_owned()))
}
