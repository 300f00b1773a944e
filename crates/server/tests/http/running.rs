//! A server on a port of its own, and somebody who asks it.

use backstory_engine::{Archive, Root, SyncOptions};
use backstory_model::{Flavor, Timestamp};
use backstory_server::mcp::{Desk, Handing};
use backstory_server::{Options, serve};
use backstory_store::Home;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// What the clock shows in the beginning.
pub(crate) const BEGAN: i64 = 1_790_000_000_000;

/// A running server.
pub(crate) struct Running {
    pub(crate) url: String,
    /// Milliseconds added to the clock.
    pub(crate) later: Arc<AtomicI64>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<std::io::Result<()>>>,
}

/// Waits for what the server does by itself.
pub(crate) fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(30), "never {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A line of a log of Claude Code in which somebody who works in `cwd` says something.
pub(crate) fn logged(session: &str, role: &str, cwd: &Path, text: &str) -> String {
    let content = serde_json::json!([{"type": "text", "text": text}]);
    let line = serde_json::json!({"type": role, "uuid": format!("{session}-{role}"),
        "parentUuid": null, "sessionId": session, "cwd": cwd, "version": "2.1.0",
        "timestamp": Timestamp(BEGAN).to_string(),
        "message": {"role": role, "content": content, "id": format!("{session}-{role}-m")}});
    format!("{line}\n")
}

/// What was answered.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) status: u16,
    pub(crate) request_id: String,
    pub(crate) text: String,
}

impl Answered {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    /// The result as plugins read it: `body.result ?? body`, from an answer that is none of an error.
    pub(crate) fn result(&self) -> Value {
        let body = self.json();
        assert!((200..300).contains(&self.status), "{} {body}", self.status);
        assert_ne!(body["status"], "error", "{body}");
        body.get("result").cloned().unwrap_or(body)
    }
}

pub(crate) fn home(dir: &Path) -> Home {
    backstory_store_sqlite::home(dir.join("home"))
}

/// The folder Claude Code's logs are looked for in.
pub(crate) fn projects(dir: &Path) -> PathBuf {
    dir.join("projects")
}

/// Options of a server on this folder, which does nothing unasked unless told to.
pub(crate) fn options(dir: &Path, later: &Arc<AtomicI64>) -> Options {
    let archive = Archive::indexed_at_home(home(dir));
    let root = Root { flavor: Flavor::Claude, dir: projects(dir) };
    let sync =
        SyncOptions { spool: true, index: true, ..SyncOptions::new(archive.clone(), vec![root]) };
    let later = Arc::clone(later);
    let desk = Desk {
        archive,
        clock: Arc::new(move || Timestamp(BEGAN + later.load(Ordering::Relaxed))),
        read_moment: Arc::new(|_, _, _| None),
        project: None,
        handing: Handing::Uploads("http://here".into()),
        commit: None,
    };
    Options { sweeps: false, look: Duration::from_hours(1), ..Options::new(sync, None, desk) }
}

impl Running {
    pub(crate) fn on(dir: &Path) -> Self {
        Self::with(dir, |options| options)
    }

    pub(crate) fn with(dir: &Path, change: impl FnOnce(Options) -> Options) -> Self {
        let later = Arc::new(AtomicI64::new(0));
        let options = change(options(dir, &later));
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
            runtime.block_on(async {
                listener.set_nonblocking(true)?;
                let listener = tokio::net::TcpListener::from_std(listener)?;
                serve(options, listener, async {
                    let _ = stopped.await;
                })
                .await
            })
        });
        Self { url, later, stop: Some(stop), thread: Some(thread) }
    }

    /// Ends it as a signal does.
    pub(crate) fn end(mut self) {
        self.stop.take().unwrap().send(()).unwrap();
        self.thread.take().unwrap().join().unwrap().unwrap();
    }

    pub(crate) fn get(&self, path: &str) -> Answered {
        self.ask("GET", path, &[], None)
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Answered {
        let kind = ("content-type", "application/json");
        self.ask("POST", path, &[kind], Some(&body.to_string()))
    }

    pub(crate) fn ask(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&str>,
    ) -> Answered {
        let agent: ureq::Agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_mins(1)))
            .build()
            .into();
        let mut request =
            ureq::http::Request::builder().method(method).uri(format!("{}{path}", self.url));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut response = match body {
            Some(body) => agent.run(request.body(body.to_owned()).unwrap()),
            None => agent.run(request.body(()).unwrap()),
        }
        .unwrap();
        let id = response.headers().get("x-request-id").map(|id| id.to_str().unwrap().to_owned());
        Answered {
            status: response.status().as_u16(),
            request_id: id.unwrap_or_default(),
            text: response.body_mut().read_to_string().unwrap(),
        }
    }
}
