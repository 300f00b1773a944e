//! `backstory serve`: the archive for agents and their plugins, over HTTP.

use super::mcp;
use crate::context::Context;
use crate::env::BACKSTORY_SERVER_KEY;
use crate::error::{Exit, Failure, Kind};
use crate::ui::{DIM, Ui, paint};
use crate::{behind, sweep};
use backstory_api as api;
use backstory_engine::pushed::Limits;
use backstory_server::mcp::{Desk, Handing};
use backstory_server::{Options, TakeIn};
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;

/// Arguments of `serve`.
#[derive(Clone, Debug, clap::Args)]
#[command(
    after_help = "The key is what BACKSTORY_SERVER_KEY holds, else the file that key_file of [server] names.
config.toml also sets the address (listen) and the longest body (body_limit_bytes)."
)]
pub(crate) struct Args {
    /// Listen on this address; any but this machine's own needs a key [default: 127.0.0.1:1933]
    #[arg(long, value_name = "HOST:PORT")]
    listen: Option<String>,
}

/// Runs the command.
pub(crate) fn run(args: &Args, context: &Context, ui: &mut Ui) -> Result<Exit, Failure> {
    let settings = context.settings(ui)?;
    let server = &settings.server;
    let key = server.key(&context.env)?;
    let listen = args.listen.as_ref().unwrap_or(&server.listen.value);
    let address = address(listen, key.is_some())?;
    let sync = sweep::options(&settings, sweep::configured_roots(&settings))?;
    sync.archive.home.create()?;
    let listener = TcpListener::bind(address).map_err(|error| {
        Failure::usage(format!("cannot listen on {address}"))
            .cause(&error)
            .hint("another server may be running there; --listen HOST:PORT chooses another address")
    })?;
    let url = format!("http://{}", listener.local_addr().unwrap_or(address));
    if ui.json {
        ui.json_line(&api::http::Serving { url: url.clone(), needs_key: key.is_some() })?;
        ui.finish()?;
    } else {
        ui.status(paint(DIM, format_args!("listening on {url}; Ctrl-C ends it")));
    }
    let idle = Duration::from_millis(settings.live.idle_ttl_ms.max(1));
    // Whoever asks stands somewhere else.
    let desk =
        Desk { project: None, handing: Handing::Uploads(url), ..mcp::desk(&settings, context)? };
    let usual = Limits::default();
    let limits = Limits {
        tool_chars: settings.capture.tool_chars.unwrap_or(usual.tool_chars),
        text_chars: settings.capture.text_chars.unwrap_or(usual.text_chars),
        ..usual
    };
    let body_bytes = usize::try_from(server.body_limit_bytes.value).unwrap_or(usize::MAX);
    let take_in = Some(take_in(context));
    let options = Options { idle, limits, body_bytes, take_in, ..Options::new(sync, key, desk) };
    backstory_server::run(options, listener)
        .map_err(|error| Failure::new(Kind::Problems, "the server stopped").cause(&error))?;
    Ok(Exit::Success)
}

/// Sweeps in a process of its own, which gives back the memory it needs for a moment.
fn take_in(context: &Context) -> TakeIn {
    let (home, store) = (context.global.home.clone(), context.global.store.clone());
    Arc::new(move || {
        let ended = behind::run(home.as_deref(), store.as_deref(), &behind::SEAL_NOW);
        let ended = ended.map_err(|error| error.to_string())?;
        // Problems are told by `doctor`; whatever could be taken in was.
        let done = [Exit::Success, Exit::Problems].map(|exit| Some(i32::from(exit.code())));
        if done.contains(&ended.code()) { Ok(()) } else { Err(format!("the sweep ended: {ended}")) }
    })
}

/// Where to listen. Without a key only this machine may ask.
fn address(listen: &str, has_key: bool) -> Result<SocketAddr, Failure> {
    let found = listen.to_socket_addrs().map_err(|error| {
        Failure::usage(format!("{listen:?} is no address to listen on"))
            .cause(&error)
            .hint("try 127.0.0.1:1933")
    })?;
    let all: Vec<SocketAddr> = found.collect();
    let is_own = |address: &SocketAddr| address.ip().is_loopback();
    let Some(first) = all.first() else {
        return Err(Failure::usage(format!("{listen:?} names no machine")));
    };
    if !has_key && !all.iter().all(is_own) {
        return Err(Failure::usage(format!(
            "{listen} can be reached from other machines, and there is no key"
        ))
        .hint(format!("set {BACKSTORY_SERVER_KEY}, or listen on 127.0.0.1")));
    }
    Ok(*first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_served_without_a_key() {
        for own in ["127.0.0.1:1933", "[::1]:0", "localhost:1933"] {
            assert!(address(own, false).is_ok(), "{own}");
        }
        for other in ["0.0.0.0:1933", "[::]:1933", "192.168.0.2:80"] {
            let failure = address(other, false).unwrap_err();
            assert!(failure.hints[0].contains(BACKSTORY_SERVER_KEY), "{other}");
            assert!(address(other, true).is_ok(), "{other}");
        }
        assert_eq!(address("1933", true).unwrap_err().kind.code(), 2);
    }
}
