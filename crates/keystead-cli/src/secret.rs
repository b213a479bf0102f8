//! Where a secret comes from: a file, never an argument, which other users of the machine could read.

use crate::{
    failure::{Failure, Outcome, name_of},
    source::read,
};
use clap::Args;
use keystead::{Description, Error, ErrorKind, Secrets};
use std::path::{Path, PathBuf};

/// The variable that names a secret file, for where `--secret-file` is not given.
const VARIABLE: &str = "KEYSTEAD_SECRET_FILE";

/// Secrets of clusters with the hash sip13.
#[derive(Args)]
#[command(next_help_heading = "Cluster")]
pub(crate) struct SecretArgs {
    /// File with the secret of sip13: 32 hex digits; else the file that the variable `KEYSTEAD_SECRET_FILE` names is used where needed
    #[arg(id = "secret", long = "secret-file", value_name = "FILE")]
    every: Option<PathBuf>,

    /// The secret of a transition's `before`, or of the first of two files, alone
    #[arg(id = "before_secret", long = "before-secret-file", value_name = "FILE", conflicts_with = "secret")]
    before: Option<PathBuf>,

    /// The secret of a transition's `after`, or of the second of two files, alone
    #[arg(id = "after_secret", long = "after-secret-file", value_name = "FILE", conflicts_with = "secret")]
    after: Option<PathBuf>,
}

impl SecretArgs {
    /// A secret file for one cluster, or none.
    pub(crate) fn one(file: Option<PathBuf>) -> SecretArgs {
        SecretArgs { every: file, before: None, after: None }
    }

    /// The options as they were given, for another command line.
    pub(crate) fn words(&self) -> Vec<(&'static str, String)> {
        let options = [
            ("--secret-file", &self.every),
            ("--before-secret-file", &self.before),
            ("--after-secret-file", &self.after),
        ];
        let given =
            |(option, file): (_, &Option<PathBuf>)| Some((option, file.as_ref()?.to_string_lossy().into_owned()));
        options.into_iter().filter_map(given).collect()
    }

    /// Builds what may need one secret.
    ///
    /// A secret of `--secret-file` is handed over as it is, so one that nothing uses is an error. The file that the environment
    /// names is read only where a secret is missing: a variable that is set for all commands does no harm to clusters that need none.
    pub(crate) fn build<T>(&self, build: impl Fn(Option<&[u8]>) -> Result<T, Error>) -> Outcome<Result<T, Error>> {
        let each = [("--before-secret-file", &self.before), ("--after-secret-file", &self.after)];
        if let Some((option, _)) = each.iter().find(|(_, file)| file.is_some()) {
            return Err(Failure::wrong_use(format!("{option} is for transition files: give --secret-file")));
        }
        self.build_with_one(build)
    }

    /// Reads a cluster or a transition.
    pub(crate) fn description(&self, text: &[u8]) -> Outcome<Result<Description, Error>> {
        let (before, after) = (&self.before, &self.after);
        if before.is_none() && after.is_none() {
            return self.build_with_one(|secret| Description::from_json(text, Secrets::one_for_all(secret)));
        }
        let secret = |file: &Option<PathBuf>| file.as_deref().map(read_secret).transpose();
        let (before, after) = (secret(before)?, secret(after)?);
        Ok(Description::from_json(text, Secrets::for_each(before.as_deref(), after.as_deref())))
    }

    /// Reads two files: a secret is unexpected only where neither has a use for it.
    pub(crate) fn two_descriptions(&self, texts: [&[u8]; 2]) -> Outcome<[Result<Description, Error>; 2]> {
        let plain = texts.map(|text| Description::from_json(text, Secrets::default()));
        let is_missing = |read: &Result<Description, Error>| {
            read.as_ref().is_err_and(|error| error.kind() == ErrorKind::MissingSecret)
        };
        let (before, after) = (&self.before, &self.after);
        if !plain.iter().any(is_missing) {
            let is_given = [&self.every, before, after].iter().any(|file| file.is_some());
            if is_given && plain.iter().all(Result::is_ok) {
                let message = "a secret is given, and no hash of either file uses one";
                return Err(Failure::new(ErrorKind::UnexpectedSecret, message));
            }
            return Ok(plain);
        }
        if before.is_none() && after.is_none() {
            let [first, second] = plain;
            let read = |read, text| if is_missing(&read) { self.description(text) } else { Ok(read) };
            return Ok([read(first, texts[0])?, read(second, texts[1])?]);
        }
        let secret = |file: &Option<PathBuf>| file.as_deref().map(read_secret).transpose();
        let (before, after) = (secret(before)?, secret(after)?);
        let (before, after) = (before.as_deref(), after.as_deref());
        let read = |read: Result<Description, Error>, text, own| {
            if !is_missing(&read) {
                return read;
            }
            match Description::from_json(text, Secrets::for_each(before, after)) {
                // It holds one cluster.
                Err(error) if error.kind() == ErrorKind::UnexpectedSecret => {
                    Description::from_json(text, Secrets::one_for_all(own))
                }
                read => read,
            }
        };
        let [first, second] = plain;
        Ok([read(first, texts[0], before), read(second, texts[1], after)])
    }

    fn build_with_one<T>(&self, build: impl Fn(Option<&[u8]>) -> Result<T, Error>) -> Outcome<Result<T, Error>> {
        if let Some(path) = &self.every {
            return Ok(build(Some(&read_secret(path)?)));
        }
        match build(None) {
            Err(error) if error.kind() == ErrorKind::MissingSecret => {
                match std::env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
                    Some(path) => Ok(build(Some(&read_secret(Path::new(&path))?))),
                    None => {
                        Ok(Err(Error::new(error.kind(), format!("{error}; give --secret-file FILE or set {VARIABLE}"))))
                    }
                }
            }
            result => Ok(result),
        }
    }
}

/// The 16 bytes of a file of 32 hex digits, white space around them allowed. No message shows what the file holds.
fn read_secret(path: &Path) -> Outcome<Vec<u8>> {
    let content = read(path).map_err(|failure| {
        // Somebody gave the secret itself where its file belongs: the message must not repeat it.
        let pasted = path.as_os_str().as_encoded_bytes();
        if pasted.len() == 32 && crate::keys::decode_hex(pasted).is_some() {
            return Failure::wrong_use("a secret is given by the name of a file that holds it, never itself");
        }
        failure
    })?;
    let digits = content.trim_ascii();
    let wrong = |what: String| {
        Failure::new(ErrorKind::InvalidParameter, format!("{}: a secret is 32 hex digits, not {what}", name_of(path)))
    };
    if digits.len() != 32 {
        return Err(wrong(format!("{} bytes", digits.len())));
    }
    crate::keys::decode_hex(digits).ok_or_else(|| wrong("other characters".to_owned()))
}
