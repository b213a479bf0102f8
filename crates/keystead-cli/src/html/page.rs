//! The frame of a page: what it is of above, how it was made below.

use crate::{change::word, shown::on_one_line};
use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = include_str!("style.css");
/// Nothing is fetched and nothing runs, whatever an id may hold.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// A page.
pub(crate) struct Page {
    /// What the browser calls it.
    pub(crate) title: String,
    pub(crate) heading: Markup,
    /// One line under the heading.
    pub(crate) about: String,
    pub(crate) warnings: Vec<String>,
    pub(crate) body: Markup,
    /// What was read, by name, with its fingerprint.
    pub(crate) fingerprints: Vec<Fingerprint>,
}

/// Which description a page is of.
pub(crate) struct Fingerprint {
    pub(crate) name: String,
    pub(crate) digits: String,
    /// Where `--json` has it.
    pub(crate) at: &'static str,
}

impl Page {
    /// The whole file.
    pub(super) fn render(&self) -> String {
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    meta http-equiv="Content-Security-Policy" content=(POLICY);
                    // A browser would ask for /favicon.ico.
                    link rel="icon" href="data:,";
                    title { (on_one_line(&self.title)) }
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    header {
                        h1 { (self.heading) }
                        p { (on_one_line(&self.about)) }
                        @for warning in &self.warnings { p.warning { strong { "Warning" } " " (on_one_line(warning)) } }
                    }
                    main { (self.body) }
                    (self.foot())
                }
            }
        }
        .into_string()
    }

    fn foot(&self) -> Markup {
        let arguments = std::env::args_os().skip(1).map(|argument| word(&argument.to_string_lossy()));
        let command = std::iter::once("keystead".to_owned()).chain(arguments).collect::<Vec<_>>().join(" ");
        html! {
            footer {
                h2 { "How this was made" }
                dl {
                    @for Fingerprint { name, digits, at } in &self.fingerprints {
                        div { dt { "fingerprint of " (super::name(name)) } dd { code data-text=(at) { (digits) } } }
                    }
                    div { dt { "command" } dd { code { (on_one_line(&command)) } } }
                    div { dt { "version" } dd { "keystead " (env!("CARGO_PKG_VERSION")) } }
                }
                p { "The full number stands behind each figure that is rounded: point at it, or ask with " code { "--json" } "." }
            }
        }
    }
}
