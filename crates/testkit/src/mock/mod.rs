//! A scripted model on the loopback interface, speaking the three protocols the agents use.
//!
//! It has no weights and no state: the prompt says what it answers (see `script.rs`), and every
//! answer states token numbers that follow from its place in the ledger alone, so that a test knows
//! what a transcript has to account for.

mod anthropic;
mod chat;
mod exchange;
mod http;
mod responses;
mod script;

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use backstory_model::Usage;
use serde_json::{Value, json};

use exchange::{Exchange, Step};
use http::{Request, Response};

/// The protocol an answer was given in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Api {
    /// Anthropic's `/v1/messages`.
    Messages,
    /// OpenAI's `/v1/responses`.
    Responses,
    /// OpenAI's `/v1/chat/completions`.
    Chat,
}

/// The tool call of an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// The id the result has to carry.
    pub call_id: String,
    /// The tool's name, with its namespace before a slash.
    pub name: String,
    /// Its arguments.
    pub arguments: Value,
}

/// One answer the model gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The protocol.
    pub api: Api,
    /// The message or response id, unique within the server.
    pub id: String,
    /// The prompt that was answered, as the client sent it, its wrapping included.
    pub prompt: String,
    /// What the answer said it cost.
    pub usage: Usage,
    /// The thought before it.
    pub thought: Option<String>,
    /// The final text of the turn.
    pub final_text: Option<String>,
    /// The tool call, when the turn goes on.
    pub tool: Option<ToolCall>,
    /// True for the answer to a request the client made for itself (a title, a one-line summary): no
    /// transcript accounts for it, and how many there are depends on when the client exits.
    pub aside: bool,
}

impl Answer {
    /// The tokens stated by the answer at this place of the ledger. All are different, so that a sum
    /// tells which answer was missed or counted twice.
    fn usage_at(place: usize, api: Api, thinks: bool) -> Usage {
        let place = place as u64;
        let writes_cache = api != Api::Chat;
        Usage {
            input: 1_000 + place,
            output: 50 + 3 * place,
            cache_read: 400 + 7 * place,
            cache_write_5m: if writes_cache { 90 + 11 * place } else { 0 },
            cache_write_1h: if api == Api::Messages { 30 + 13 * place } else { 0 },
            reasoning: if thinks && api != Api::Messages { 10 + place } else { 0 },
        }
    }
}

#[derive(Debug, Default)]
struct State {
    ledger: Mutex<Vec<Answer>>,
    requests: Mutex<Vec<String>>,
    bodies: Mutex<Vec<String>>,
    stopped: AtomicBool,
}

/// The running server. It stops when dropped.
#[derive(Debug)]
pub struct Mock {
    address: SocketAddr,
    state: Arc<State>,
    acceptor: Option<JoinHandle<()>>,
}

impl Mock {
    /// Starts on a free port.
    pub fn start() -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let state = Arc::new(State::default());
        let shared = Arc::clone(&state);
        let acceptor = thread::spawn(move || accept(&listener, &shared));
        Ok(Self { address, state, acceptor: Some(acceptor) })
    }

    /// Scheme, host and port.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Every answer so far, in the order given.
    pub fn ledger(&self) -> Vec<Answer> {
        locked(&self.state.ledger).clone()
    }

    /// Everything clients have sent for answers so far: what really reached the model.
    pub fn bodies(&self) -> Vec<String> {
        locked(&self.state.bodies).clone()
    }

    /// Every request so far as `METHOD /path`, those without an endpoint included.
    pub fn requests(&self) -> Vec<String> {
        locked(&self.state.requests).clone()
    }
}

impl Drop for Mock {
    fn drop(&mut self) {
        self.state.stopped.store(true, Ordering::SeqCst);
        // The acceptor blocks in accept: one connection wakes it.
        if TcpStream::connect(self.address).is_ok()
            && let Some(acceptor) = self.acceptor.take()
        {
            let _ = acceptor.join();
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn accept(listener: &TcpListener, state: &Arc<State>) {
    for stream in listener.incoming() {
        if state.stopped.load(Ordering::SeqCst) {
            return;
        }
        let Ok(stream) = stream else { continue };
        let state = Arc::clone(state);
        // A client that hangs up half-way only spoils its own connection.
        thread::spawn(move || http::serve(stream, |request| state.answer(request)));
    }
}

impl State {
    fn answer(&self, request: &Request) -> Response {
        locked(&self.requests).push(format!("{} {}", request.method, request.path));
        let endpoint = request.path.strip_prefix("/v1").unwrap_or(&request.path);
        match (request.method.as_str(), endpoint) {
            ("GET", "/models") => Response::json(200, &models()),
            ("POST", "/messages/count_tokens") => {
                Response::json(200, &json!({ "input_tokens": request.body.len() / 4 }))
            }
            ("POST", "/messages") => self.converse(request, Api::Messages),
            ("POST", "/responses") => self.converse(request, Api::Responses),
            ("POST", "/chat/completions") => self.converse(request, Api::Chat),
            _ => Response::error(404, "no such endpoint"),
        }
    }

    fn converse(&self, request: &Request, api: Api) -> Response {
        let body: Value = match serde_json::from_slice(&request.body) {
            Ok(body) => body,
            Err(error) => return Response::error(400, &error.to_string()),
        };
        locked(&self.bodies).push(body.to_string());
        let exchange = match api {
            Api::Messages => anthropic::read(&body),
            Api::Responses => responses::read(&body),
            Api::Chat => chat::read(&body),
        };
        let step = exchange.next_step();
        if let Step::Fail(status) = step {
            return Response::error(status, "scripted failure");
        }
        let answer = self.record(api, &exchange, step);
        match api {
            Api::Messages => anthropic::write(&exchange, &answer),
            Api::Responses => responses::write(&exchange, &answer),
            Api::Chat => chat::write(&exchange, &answer),
        }
    }

    fn record(&self, api: Api, exchange: &Exchange, step: Step) -> Answer {
        let mut ledger = locked(&self.ledger);
        let place = ledger.len() + 1;
        let thought = exchange.thought();
        let (tool, final_text) = match step {
            Step::Call { name, arguments } => {
                (Some(ToolCall { call_id: call_id(api, place), name, arguments }), None)
            }
            Step::Say(text) => (None, Some(text)),
            Step::Fail(_) => (None, None),
        };
        let answer = Answer {
            api,
            id: format!(
                "{}scripted{place:04}",
                if api == Api::Messages { "msg_" } else { "resp_" }
            ),
            prompt: exchange.prompt.clone(),
            usage: Answer::usage_at(place, api, thought.is_some()),
            thought,
            final_text,
            tool,
            aside: exchange.aside,
        };
        ledger.push(answer.clone());
        answer
    }
}

fn call_id(api: Api, place: usize) -> String {
    let prefix = if api == Api::Messages { "toolu_" } else { "call_" };
    format!("{prefix}scripted{place:04}")
}

fn models() -> Value {
    let model = json!({
        "id": "scripted", "object": "model", "type": "model", "display_name": "Scripted",
        "created": 1, "created_at": "2026-01-01T00:00:00Z", "owned_by": "testkit",
    });
    json!({ "object": "list", "data": [model], "has_more": false })
}
