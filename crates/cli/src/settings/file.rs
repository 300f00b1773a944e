//! `config.toml`: every value with the line it stands on, unknown keys told from known ones.

use super::{Origin, Value, decisions, hub, retention, server, store};
use crate::error::Failure;
use backstory_distill::nearest::nearest;
use backstory_model::Flavor;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

const SECTIONS: [&str; 4] = ["retention", "sources", "domains", "task_ref"];

/// A text or a whole number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    Text(String),
    Number(i64),
}

/// A value with its place, for messages about it.
#[derive(Clone, Debug)]
struct Placed {
    scalar: Scalar,
    line: usize,
    column: usize,
}

/// What the file says.
#[derive(Debug, Default)]
pub(super) struct ConfigFile {
    path: PathBuf,
    retention: BTreeMap<String, Placed>,
    pub(super) sources: BTreeMap<Flavor, Value<Vec<String>>>,
    pub(super) domains: Option<Value<BTreeMap<String, String>>>,
    pub(super) task_ref: Option<Value<Vec<String>>>,
    pub(super) hub_url: Option<Value<String>>,
    pub(super) store: store::FileStore,
    pub(super) server: server::FileServer,
    pub(super) marker: Option<Value<String>>,
}

/// The file's text; `None` if there is no such file.
pub(super) fn read(path: &Path) -> Result<Option<String>, Failure> {
    match fs_err::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(Failure::usage("the configuration cannot be read").cause(&error)),
    }
}

impl ConfigFile {
    /// Understands the text, or says where it is wrong.
    pub(super) fn parse(
        path: &Path,
        text: &str,
        warnings: &mut Vec<String>,
    ) -> Result<Self, Failure> {
        let mut parser = Parser { path, text, warnings };
        let document = DeTable::parse(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            parser.wrong(at, error.message())
        })?;
        let mut file = Self { path: path.to_owned(), ..Self::default() };
        for (key, value) in document.get_ref() {
            let known = ["session_memory", "hub", "store", "server", "decisions"];
            if !parser.is_known(key, &known, "the file") {
                continue;
            }
            match key.get_ref().as_ref() {
                "hub" => parser.hub(value, &mut file)?,
                "store" => parser.store(value, &mut file)?,
                "server" => parser.server(value, &mut file)?,
                "decisions" => parser.decisions(value, &mut file)?,
                _ => parser.session_memory(value, &mut file)?,
            }
        }
        Ok(file)
    }

    /// A knob of `[session_memory.retention]`, or its default.
    pub(super) fn retention_value<T>(
        &self,
        key: &str,
        expected: &str,
        default: T,
        read: impl Fn(&Scalar) -> Option<T>,
    ) -> Result<Value<T>, Failure> {
        let Some(placed) = self.retention.get(key) else { return Ok(Value::default(default)) };
        match read(&placed.scalar) {
            Some(value) => {
                Ok(Value { value, origin: Origin::File(self.path.clone(), placed.line) })
            }
            None => Err(Failure::usage(format!(
                "{}:{}:{}: {key} must be {expected}",
                self.path.display(),
                placed.line,
                placed.column
            ))),
        }
    }
}

struct Parser<'a> {
    path: &'a Path,
    text: &'a str,
    warnings: &'a mut Vec<String>,
}

type Key<'a> = Spanned<std::borrow::Cow<'a, str>>;

impl Parser<'_> {
    fn session_memory(
        &mut self,
        value: &Spanned<DeValue<'_>>,
        file: &mut ConfigFile,
    ) -> Result<(), Failure> {
        for (key, section) in self.table(value, "session_memory")? {
            if !self.is_known(key, &SECTIONS, "[session_memory]") {
                continue;
            }
            let name = key.get_ref().as_ref();
            let entries = self.table(section, &format!("session_memory.{name}"))?;
            match name {
                "retention" => self.retention(entries, file)?,
                "sources" => self.sources(entries, file)?,
                "domains" => self.domains(section, entries, file)?,
                _ => self.task_ref(entries, file)?,
            }
        }
        Ok(())
    }

    fn retention(&mut self, entries: &DeTable<'_>, file: &mut ConfigFile) -> Result<(), Failure> {
        for (key, value) in entries {
            if !self.is_known(key, &retention::KEYS, "[session_memory.retention]") {
                continue;
            }
            let at = value.span().start;
            let scalar = match value.get_ref() {
                DeValue::String(text) => Some(Scalar::Text(text.to_string())),
                DeValue::Integer(number) => {
                    i64::from_str_radix(number.as_str(), number.radix()).ok().map(Scalar::Number)
                }
                _ => None,
            };
            let Some(scalar) = scalar else {
                let found = value.get_ref().type_str();
                return Err(self.wrong(
                    at,
                    &format!("{} must be a text or a whole number, not {found}", key.get_ref()),
                ));
            };
            let (line, column) = self.place(at);
            file.retention.insert(key.get_ref().to_string(), Placed { scalar, line, column });
        }
        Ok(())
    }

    fn sources(&mut self, entries: &DeTable<'_>, file: &mut ConfigFile) -> Result<(), Failure> {
        let known = Flavor::LOGGED.map(Flavor::name);
        for (key, value) in entries {
            if !self.is_known(key, &known, "[session_memory.sources]") {
                continue;
            }
            if let Some(flavor) = Flavor::logged_from_name(key.get_ref()) {
                file.sources.insert(flavor, self.texts(key, value, "[\"DIR\", …]")?);
            }
        }
        Ok(())
    }

    fn domains(
        &mut self,
        section: &Spanned<DeValue<'_>>,
        entries: &DeTable<'_>,
        file: &mut ConfigFile,
    ) -> Result<(), Failure> {
        let mut domains = BTreeMap::new();
        for (repo, value) in entries {
            let Some(domain) = value.get_ref().as_str() else {
                let message = format!("the domain of {} must be a text", repo.get_ref());
                return Err(self.wrong(value.span().start, &message));
            };
            domains.insert(repo.get_ref().to_string(), domain.to_owned());
        }
        let origin = self.origin(section.span().start);
        file.domains = Some(Value { value: domains, origin });
        Ok(())
    }

    fn task_ref(&mut self, entries: &DeTable<'_>, file: &mut ConfigFile) -> Result<(), Failure> {
        for (key, value) in entries {
            if self.is_known(key, &["patterns"], "[session_memory.task_ref]") {
                file.task_ref = Some(self.texts(key, value, "['PATTERN', …]")?);
            }
        }
        Ok(())
    }

    fn hub(&mut self, value: &Spanned<DeValue<'_>>, file: &mut ConfigFile) -> Result<(), Failure> {
        for (key, value) in self.table(value, "hub")? {
            if !self.is_known(key, &["url"], "[hub]") {
                continue;
            }
            let at = value.span().start;
            let Some(url) = value.get_ref().as_str() else {
                return Err(self.wrong(at, "url must be a text: \"http://…\""));
            };
            if let Some(reason) = hub::wrong_with(url) {
                return Err(self.wrong(at, &format!("url {reason}")));
            }
            let origin = self.origin(key.span().start);
            file.hub_url = Some(Value { value: url.to_owned(), origin });
        }
        Ok(())
    }

    fn store(
        &mut self,
        value: &Spanned<DeValue<'_>>,
        file: &mut ConfigFile,
    ) -> Result<(), Failure> {
        for (key, value) in self.table(value, "store")? {
            let name = key.get_ref().as_ref();
            if !self.is_known(key, &store::KEYS, "[store]") {
                continue;
            }
            let Some(text) = value.get_ref().as_str() else {
                return Err(self.wrong(value.span().start, &format!("{name} must be a text")));
            };
            let origin = self.origin(key.span().start);
            let known = store::KEYS.iter().zip(&mut file.store).find(|(known, _)| **known == name);
            if let Some((_, place)) = known {
                *place = Some(Value { value: text.to_owned(), origin });
            }
        }
        Ok(())
    }

    fn server(
        &mut self,
        value: &Spanned<DeValue<'_>>,
        file: &mut ConfigFile,
    ) -> Result<(), Failure> {
        for (key, value) in self.table(value, "server")? {
            let name = key.get_ref().as_ref();
            if !self.is_known(key, &server::KEYS, "[server]") {
                continue;
            }
            let text = match value.get_ref() {
                DeValue::String(text) => text.to_string(),
                DeValue::Integer(number) if name == server::BODY_LIMIT => number.to_string(),
                _ => return Err(self.wrong(value.span().start, &format!("{name} must be a text"))),
            };
            let origin = self.origin(key.span().start);
            let known =
                server::KEYS.iter().zip(&mut file.server).find(|(known, _)| **known == name);
            if let Some((_, place)) = known {
                *place = Some(Value { value: text, origin });
            }
        }
        Ok(())
    }

    fn decisions(
        &mut self,
        value: &Spanned<DeValue<'_>>,
        file: &mut ConfigFile,
    ) -> Result<(), Failure> {
        for (key, value) in self.table(value, "decisions")? {
            if !self.is_known(key, &[decisions::KEY], "[decisions]") {
                continue;
            }
            let Some(name) = value.get_ref().as_str() else {
                return Err(self.wrong(value.span().start, "marker must be a text"));
            };
            let origin = self.origin(key.span().start);
            file.marker = Some(Value { value: name.to_owned(), origin });
        }
        Ok(())
    }

    fn texts(
        &self,
        key: &Key<'_>,
        value: &Spanned<DeValue<'_>>,
        expected: &str,
    ) -> Result<Value<Vec<String>>, Failure> {
        let wrong = |at: &Spanned<DeValue<'_>>| {
            let message = format!("{} must be a list of texts: {expected}", key.get_ref());
            self.wrong(at.span().start, &message)
        };
        let list = value.get_ref().as_array().ok_or_else(|| wrong(value))?;
        let texts = list
            .iter()
            .map(|entry| entry.get_ref().as_str().map(str::to_owned).ok_or_else(|| wrong(entry)))
            .collect::<Result<_, _>>()?;
        Ok(Value { value: texts, origin: self.origin(key.span().start) })
    }

    fn table<'v, 'i>(
        &self,
        value: &'v Spanned<DeValue<'i>>,
        name: &str,
    ) -> Result<&'v DeTable<'i>, Failure> {
        value.get_ref().as_table().ok_or_else(|| {
            self.wrong(value.span().start, &format!("{name} must be a section: [{name}]"))
        })
    }

    fn is_known(&mut self, key: &Key<'_>, known: &[&str], section: &str) -> bool {
        let name = key.get_ref().as_ref();
        if known.contains(&name) {
            return true;
        }
        let (line, _) = self.place(key.span().start);
        let guess = nearest(name, known)
            .map_or_else(String::new, |guess| format!("; did you mean `{guess}`?"));
        self.warnings.push(format!(
            "{}:{line}: unknown key `{name}` in {section}{guess}",
            self.path.display()
        ));
        false
    }

    fn origin(&self, at: usize) -> Origin {
        Origin::File(self.path.to_owned(), self.place(at).0)
    }

    fn wrong(&self, at: usize, message: &str) -> Failure {
        let (line, column) = self.place(at);
        Failure::usage(format!("{}:{line}:{column}: {message}", self.path.display()))
            .hint("`backstory config` shows every key with its value")
    }

    /// 1-based line and column of a byte.
    fn place(&self, at: usize) -> (usize, usize) {
        let before = self.text.get(..at).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
