//! Just enough HTTP/1.1 for the agents: one request per connection, bodies of known length.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

/// A client that stops talking must not keep a thread for ever.
const PATIENCE: Duration = Duration::from_secs(30);
/// Requests carry whole conversations, yet a runaway one must not take the machine's memory.
const MAX_BODY: usize = 64 << 20;

/// What a client asked for.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// Without the query string.
    pub(crate) path: String,
    pub(crate) body: Vec<u8>,
}

/// What it gets.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) content_type: &'static str,
    pub(crate) body: Vec<u8>,
}

impl Response {
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self { status, content_type: "application/json", body: body.to_string().into_bytes() }
    }

    /// Server-sent events, sent in one piece: the agents read them as a stream all the same.
    pub(crate) fn events(body: String) -> Self {
        Self { status: 200, content_type: "text/event-stream", body: body.into_bytes() }
    }

    pub(crate) fn error(status: u16, message: &str) -> Self {
        let error = json!({ "type": "api_error", "code": "scripted", "message": message });
        Self::json(status, &json!({ "type": "error", "error": error }))
    }
}

/// Appends one server-sent event.
pub(crate) fn push_event(stream: &mut String, name: Option<&str>, data: &str) {
    if let Some(name) = name {
        stream.push_str("event: ");
        stream.push_str(name);
        stream.push('\n');
    }
    stream.push_str("data: ");
    stream.push_str(data);
    stream.push_str("\n\n");
}

/// Answers the one request of a connection.
pub(crate) fn serve(
    stream: TcpStream,
    answer: impl FnOnce(&Request) -> Response,
) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut reader = BufReader::new(stream);
    let Some(request) = read_request(&mut reader)? else { return Ok(()) };
    let response = answer(&request);
    write_response(reader.into_inner(), &request.method, &response)
}

fn read_request(reader: &mut BufReader<TcpStream>) -> io::Result<Option<Request>> {
    let first = read_line(reader)?;
    let mut words = first.split_whitespace();
    // A connection opened and closed without a word is a probe, not an error.
    let (Some(method), Some(target)) = (words.next(), words.next()) else { return Ok(None) };
    let headers = read_headers(reader)?;
    let header = |name: &str| headers.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str());
    if header("expect").is_some_and(|v| v.eq_ignore_ascii_case("100-continue")) {
        reader.get_mut().write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    let body = if header("transfer-encoding").is_some_and(|v| v.eq_ignore_ascii_case("chunked")) {
        read_chunks(reader)?
    } else {
        let length = header("content-length").map_or(Ok(0), str::parse).map_err(bad_data)?;
        read_exactly(reader, length)?
    };
    let path = target.split('?').next().unwrap_or(target).to_owned();
    Ok(Some(Request { method: method.to_owned(), path, body }))
}

fn read_headers(reader: &mut impl BufRead) -> io::Result<Vec<(String, String)>> {
    let mut headers = Vec::new();
    loop {
        let line = read_line(reader)?;
        if line.is_empty() {
            return Ok(headers);
        }
        if let Some((name, value)) = line.split_once(':') {
            headers.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
        }
    }
}

fn read_line(reader: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    line.truncate(line.trim_end_matches(['\r', '\n']).len());
    Ok(line)
}

fn read_chunks(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let line = read_line(reader)?;
        let size = line.split(';').next().unwrap_or_default().trim();
        let size = usize::from_str_radix(size, 16).map_err(bad_data)?;
        if size == 0 {
            while !read_line(reader)?.is_empty() {}
            return Ok(body);
        }
        if body.len() + size > MAX_BODY {
            return Err(bad_data("request body too large"));
        }
        body.extend(read_exactly(reader, size)?);
        read_line(reader)?;
    }
}

fn read_exactly(reader: &mut impl Read, length: usize) -> io::Result<Vec<u8>> {
    if length > MAX_BODY {
        return Err(bad_data("request body too large"));
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(body)
}

fn bad_data(reason: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}

fn write_response(mut stream: TcpStream, method: &str, response: &Response) -> io::Result<()> {
    let head = format!(
        "HTTP/1.1 {} {}\r\ncontent-type: {}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        response.status,
        if response.status < 400 { "OK" } else { "Error" },
        response.content_type,
        response.body.len(),
    );
    stream.write_all(head.as_bytes())?;
    if method != "HEAD" {
        stream.write_all(&response.body)?;
    }
    stream.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    fn ask(raw: &'static str) -> (String, Vec<u8>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let client = std::thread::spawn(move || {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.write_all(raw.as_bytes()).unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).unwrap();
            answer
        });
        let (stream, _) = listener.accept().unwrap();
        let mut seen = Vec::new();
        serve(stream, |request| {
            seen.clone_from(&request.body);
            Response::json(200, &json!({ "path": request.path }))
        })
        .unwrap();
        (client.join().unwrap(), seen)
    }

    #[test]
    fn a_sized_body_and_a_query_are_read() {
        let (answer, body) = ask("POST /v1/x?beta=true HTTP/1.1\r\nContent-Length: 4\r\n\r\nabcd");
        assert_eq!(body, b"abcd");
        assert!(answer.ends_with("{\"path\":\"/v1/x\"}"), "{answer}");
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    }

    #[test]
    fn a_chunked_body_is_joined() {
        let (_, body) = ask(
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n1\r\nd\r\n0\r\n\r\n",
        );
        assert_eq!(body, b"abcd");
    }

    #[test]
    fn a_head_request_gets_no_body() {
        let (answer, _) = ask("HEAD / HTTP/1.1\r\n\r\n");
        assert!(answer.ends_with("\r\n\r\n"), "{answer}");
    }
}
