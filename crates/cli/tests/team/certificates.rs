//! TLS to the server, with certificates made here.

use crate::workstation::{Workstation, told};
use backstory_testkit::postgres::Server;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;

fn openssl(dir: &Path, arguments: &str) {
    let output = Command::new("openssl")
        .args(arguments.split(' '))
        .current_dir(dir)
        .output()
        .unwrap_or_else(|error| panic!("this test needs the program `openssl`: {error}"));
    assert!(output.status.success(), "openssl {arguments}: {}", told(&output));
}

/// An authority of that name; its certificate.
fn authority(dir: &Path, name: &str) -> PathBuf {
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    openssl(dir, &format!("req -x509 {key} -keyout {name}.key -out {name}.pem -subj /CN={name}"));
    dir.join(format!("{name}.pem"))
}

/// A certificate for `localhost`, signed by the authority; its key and itself.
fn certificate(dir: &Path, signer: &str) -> (PathBuf, PathBuf) {
    fs_err::write(dir.join("names"), "subjectAltName=DNS:localhost\n").unwrap();
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    openssl(dir, &format!("req {key} -keyout server.key -out server.csr -subj /CN=localhost"));
    let by = format!("-CA {signer}.pem -CAkey {signer}.key -CAcreateserial");
    openssl(dir, &format!("x509 -req -in server.csr {by} -extfile names -out server.pem"));
    (dir.join("server.key"), dir.join("server.pem"))
}

#[test]
fn certificates_are_looked_at_as_far_as_asked() {
    let dir = tempfile::tempdir().unwrap();
    let ours = authority(dir.path(), "ours");
    let strangers = authority(dir.path(), "strangers");
    let (key, certificate) = certificate(dir.path(), "ours");
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
    let settings = [
        ("listen_addresses", "127.0.0.1"),
        ("port", &port),
        ("ssl", "on"),
        ("ssl_key_file", "server.key"),
        ("ssl_cert_file", "server.crt"),
    ];
    // Who comes in without TLS is somebody else.
    let rules = dir.path().join("rules");
    let plain =
        "local all all trust\nhostssl all member all trust\nhostnossl all plain all trust\n";
    fs_err::write(&rules, plain).unwrap();
    let files =
        [("server.key", key.as_path()), ("server.crt", &certificate), ("pg_hba.conf", &rules)];
    let server = Server::with_files(&settings, &files).unwrap();
    let database = server.database().unwrap();
    let create = "CREATE ROLE plain LOGIN; GRANT member TO plain";
    database.administrator().batch_execute(create).unwrap();
    let name = database.url.split("@/").nth(1).and_then(|rest| rest.split('?').next()).unwrap();
    let sync = |role: &str, host: &str, mode: &str, signer: &Path| {
        let signer = signer.display();
        let options = format!("sslmode={mode}&sslrootcert={signer}");
        let url = format!("postgres://{role}@{host}:{port}/{name}?{options}");
        let machine = Workstation::new(dir.path(), "ann", Some(&url));
        machine.write_history(1, 1);
        machine.run(&["sync"])
    };
    for (host, mode, signer) in [
        ("127.0.0.1", "prefer", &strangers),
        ("127.0.0.1", "require", &strangers),
        ("127.0.0.1", "verify-ca", &ours),
        ("localhost", "verify-full", &ours),
    ] {
        let output = sync("member", host, mode, signer);
        assert!(output.status.success(), "{mode} to {host}: {}", told(&output));
    }
    for (host, mode, signer, said) in [
        ("127.0.0.1", "verify-full", &ours, "a name the certificate bears"),
        ("localhost", "verify-full", &strangers, "sslrootcert="),
        ("127.0.0.1", "verify-ca", &strangers, "sslrootcert="),
    ] {
        let output = sync("member", host, mode, signer);
        let text = told(&output);
        assert_eq!(output.status.code(), Some(3), "{mode} to {host}: {text}");
        assert!(text.contains(said) && text.contains("certificate"), "{mode} to {host}: {text}");
        assert!(text.contains(&format!("postgres://member@{host}:{port}/")), "{text}");
    }
    let output = sync("plain", "127.0.0.1", "disable", &ours);
    assert!(output.status.success(), "{}", told(&output));
    let output = sync("member", "127.0.0.1", "disable", &ours);
    assert!(told(&output).contains("no encryption"), "{}", told(&output));
}
