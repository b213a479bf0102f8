//! Fenced blocks of Markdown, and what they promise to print.

/// A fenced block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    /// The line of the opening fence, from 1.
    pub(crate) line: usize,
    /// The words after the opening fence; commas part them too, as in `rust,no_run`.
    pub(crate) words: Vec<String>,
    pub(crate) text: String,
}

/// A command of a `console` block and the lines that it is to print.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Command {
    pub(crate) text: String,
    pub(crate) expected: Vec<String>,
}

impl Block {
    /// Its language.
    pub(crate) fn language(&self) -> &str {
        self.words.first().map_or("", String::as_str)
    }

    /// Whether a word stands after the language.
    pub(crate) fn is(&self, word: &str) -> bool {
        self.words.iter().skip(1).any(|each| each == word)
    }

    /// What a program prints, as its comments say: `print(x)  # prints: this`.
    pub(crate) fn promised(&self) -> Vec<String> {
        self.text.lines().filter_map(|line| line.split_once(" prints: ")).map(|(_, said)| said.to_owned()).collect()
    }

    /// The commands of a `console` block: each begins with `$ `, goes on after a backslash, and is followed by what it prints.
    pub(crate) fn commands(&self) -> Vec<Command> {
        let mut commands: Vec<Command> = Vec::new();
        let mut goes_on = false;
        for line in self.text.lines() {
            match commands.last_mut() {
                Some(last) if goes_on => {
                    last.text.push('\n');
                    last.text.push_str(line.strip_prefix("> ").unwrap_or(line));
                    goes_on = line.ends_with('\\');
                }
                last => {
                    if let Some(text) = line.strip_prefix("$ ") {
                        commands.push(Command { text: text.to_owned(), expected: Vec::new() });
                        goes_on = line.ends_with('\\');
                    } else if let Some(last) = last {
                        last.expected.push(line.to_owned());
                    }
                }
            }
        }
        commands
    }
}

/// All fenced blocks of a text.
pub(crate) fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<(Block, String)> = None;
    for (index, line) in text.lines().enumerate() {
        let trimmed = line.trim_start();
        let fence: String = trimmed.chars().take_while(|c| *c == '`').collect();
        match &mut open {
            Some((block, opening)) => {
                if fence.len() >= opening.len() && trimmed.len() == fence.len() {
                    blocks.extend(open.take().map(|(block, _)| block));
                } else {
                    block.text.push_str(line);
                    block.text.push('\n');
                }
            }
            None if fence.len() >= 3 => {
                let words = trimmed[fence.len()..]
                    .split([' ', ','])
                    .filter(|word| !word.is_empty())
                    .map(str::to_owned)
                    .collect();
                open = Some((Block { line: index + 1, words, text: String::new() }, fence));
            }
            None => {}
        }
    }
    blocks
}

/// Whether printed lines are the expected ones; an expected line `…` stands for any number of lines. White space at line ends and empty lines at the end do not count.
pub(crate) fn matches(expected: &[String], printed: &[String]) -> bool {
    let tidy = |lines: &[String]| {
        let mut lines: Vec<String> = lines.iter().map(|line| line.trim_end().to_owned()).collect();
        while lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        lines
    };
    fits(&tidy(expected), &tidy(printed))
}

fn fits(expected: &[String], printed: &[String]) -> bool {
    match expected.split_first() {
        None => printed.is_empty(),
        Some((first, rest)) if first.trim() == "…" => {
            (0..=printed.len()).any(|skipped| fits(rest, &printed[skipped..]))
        }
        Some((first, rest)) => printed.split_first().is_some_and(|(line, others)| line == first && fits(rest, others)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn blocks_are_found_with_line_and_words() {
        let found = blocks("a\n```rust,no_run\nlet x;\n```\n\n````text\n```\n````\n```json cluster.json\n{}\n```\n");
        assert_eq!(found.len(), 3);
        assert_eq!(
            (found[0].line, found[0].language(), found[0].is("no_run"), found[0].text.as_str()),
            (2, "rust", true, "let x;\n")
        );
        assert_eq!(found[1].text, "```\n");
        assert_eq!(found[2].words, ["json", "cluster.json"]);
    }

    #[test]
    fn promised_output_stands_behind_prints() {
        let text = "x = 1  # no\nprint(x)  # prints: 1\n# prints: a b\nconsole.log(y) // prints: c\n";
        let block = Block { line: 1, words: vec![], text: text.to_owned() };
        assert_eq!(block.promised(), ["1", "a b", "c"]);
    }

    #[test]
    fn console_blocks_are_commands_with_their_output() {
        let block = Block { line: 1, words: vec![], text: "$ a b \\\n  c\none\ntwo\n$ d\n".to_owned() };
        assert_eq!(
            block.commands(),
            [
                Command { text: "a b \\\n  c".to_owned(), expected: lines("one\ntwo") },
                Command { text: "d".to_owned(), expected: vec![] }
            ]
        );
    }

    #[test]
    fn output_is_compared_line_by_line() {
        assert!(matches(&lines("a\nb"), &lines("a\nb  \n\n")));
        assert!(!matches(&lines("a\nb"), &lines("a\nb\nc")));
        assert!(!matches(&lines("a\nb"), &lines("a")));
        assert!(matches(&lines("a\n…"), &lines("a\nb\nc")));
        assert!(matches(&lines("…\nc"), &lines("a\nb\nc")));
        assert!(!matches(&lines("…\nd"), &lines("a\nb\nc")));
        assert!(!matches(&lines(""), &lines("a")));
    }
}
