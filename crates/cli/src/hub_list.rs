//! The decisions of a hub, from a file, from stdin, or page by page over HTTP.

use crate::error::{Failure, Kind};
use crate::settings::Settings;
use crate::typed;
use backstory_engine::ledger::{HubList, read_hub};
use std::collections::HashSet;
use std::io::Read;
use std::time::Duration;
use ureq::http::Uri;

/// A longer list is no list.
const MAX_BYTES: u64 = 64 << 20;
/// A hub that never ends is not heard to its end.
const MAX_PAGES: usize = 10_000;
/// How long a page may take.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Reads a list from `-`, an address, or a file. Places of what cannot be understood are told in words.
pub(crate) fn read(
    source: &str,
    name: &str,
    settings: &Settings,
) -> Result<(HubList, Vec<String>), Failure> {
    let is_address = ["http://", "https://"].iter().any(|scheme| source.starts_with(scheme));
    if is_address {
        return Pages::new(source, settings)?.read(name);
    }
    let text = if source == "-" { typed::from_stdin(MAX_BYTES)? } else { file(source)? };
    let list = read_hub(&text, name);
    let bad = list.bad.iter().map(|(line, reason)| format!("line {line}: {reason}")).collect();
    Ok((list, bad))
}

fn file(path: &str) -> Result<String, Failure> {
    let failed =
        |error: std::io::Error| Failure::usage(format!("{path} cannot be read")).cause(&error);
    let mut bytes = Vec::new();
    let file = fs_err::File::open(path).map_err(failed)?;
    file.take(MAX_BYTES).read_to_end(&mut bytes).map_err(failed)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A list that comes in pages.
struct Pages<'a> {
    agent: ureq::Agent,
    first: Uri,
    bearer: Option<String>,
    url: &'a str,
}

impl<'a> Pages<'a> {
    fn new(url: &'a str, settings: &Settings) -> Result<Self, Failure> {
        if let Some(reason) = crate::settings::wrong_with_hub(url) {
            return Err(Failure::usage(format!("{url:?} {reason}")));
        }
        let first: Uri =
            url.parse().map_err(|_| Failure::usage(format!("{url:?} is not an address")))?;
        // The token is for the hub that is configured, and for nobody else.
        let known = settings.hub.url.as_ref().and_then(|url| url.value.parse::<Uri>().ok());
        let is_known = known.is_some_and(|known| place(&known) == place(&first));
        let token = settings.hub.token.as_ref().filter(|_| is_known);
        let agent = ureq::Agent::new_with_config(
            ureq::Agent::config_builder()
                .max_redirects(0)
                .proxy(None)
                .timeout_global(Some(TIMEOUT))
                .user_agent(concat!("backstory/", env!("CARGO_PKG_VERSION")))
                .build(),
        );
        Ok(Self { agent, first, bearer: token.map(crate::settings::Token::bearer), url })
    }

    fn read(&self, name: &str) -> Result<(HubList, Vec<String>), Failure> {
        let (mut all, mut bad, mut seen) = (HubList::default(), Vec::new(), HashSet::new());
        let mut next = Some(self.url.to_owned());
        while let Some(url) = next.take().filter(|url| seen.insert(url.clone())) {
            if seen.len() > MAX_PAGES {
                return Err(self.failed("the list does not end"));
            }
            let page = read_hub(&self.page(&url)?, name);
            let number = seen.len();
            bad.extend(
                page.bad
                    .iter()
                    .map(|(entry, reason)| format!("page {number}, entry {entry}: {reason}")),
            );
            all.decisions.extend(page.decisions);
            next = page.next.map(|next| self.address_of(&next)).transpose()?;
        }
        Ok((all, bad))
    }

    fn page(&self, url: &str) -> Result<String, Failure> {
        let mut request = self.agent.get(url).header("accept", "application/json");
        if let Some(bearer) = &self.bearer {
            request = request.header("authorization", bearer);
        }
        let mut answer = request.call().map_err(|error| self.failed(&error.to_string()))?;
        if !answer.status().is_success() {
            return Err(self.failed(&format!("it answered {}", answer.status())));
        }
        let body = answer.body_mut().with_config().limit(MAX_BYTES).read_to_string();
        body.map_err(|error| self.failed(&error.to_string()))
    }

    /// Where the list goes on: an address of the same hub, a path or a query there, or a cursor.
    fn address_of(&self, next: &str) -> Result<String, Failure> {
        let (scheme, host) = place(&self.first);
        let path = self.first.path();
        if next.contains("://") {
            let same = next.parse::<Uri>().is_ok_and(|next| place(&next) == (scheme, host));
            let elsewhere = || self.failed("its list goes on at another hub");
            return if same { Ok(next.to_owned()) } else { Err(elsewhere()) };
        }
        if next.starts_with('/') {
            return Ok(format!("{scheme}://{host}{next}"));
        }
        if next.starts_with('?') {
            return Ok(format!("{scheme}://{host}{path}{next}"));
        }
        let rest = self.first.query().unwrap_or_default();
        let rest = rest.split('&').filter(|part| !part.is_empty() && !part.starts_with("cursor="));
        let cursor = format!("cursor={}", escaped(next));
        let query: Vec<&str> = rest.chain([cursor.as_str()]).collect();
        Ok(format!("{scheme}://{host}{path}?{}", query.join("&")))
    }

    fn failed(&self, reason: &str) -> Failure {
        let mut failure = Failure::new(Kind::Problems, "the hub could not be read");
        failure.causes.push(format!("{}: {reason}", self.url));
        failure
    }
}

/// What makes two addresses the same place.
fn place(uri: &Uri) -> (&str, &str) {
    let host = uri.authority().map_or("", |authority| authority.as_str());
    (uri.scheme_str().unwrap_or_default(), host)
}

fn escaped(text: &str) -> String {
    use std::fmt::Write;
    text.bytes().fold(String::new(), |mut out, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
        out
    })
}
