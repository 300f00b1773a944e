//! What `config.toml` may and may not hold.

use super::*;

fn parse(text: &str) -> (Result<ConfigFile, Failure>, Vec<String>) {
    let mut warnings = Vec::new();
    let file = ConfigFile::parse(Path::new("/c/config.toml"), text, &mut warnings);
    (file, warnings)
}

fn refusal(text: &str) -> String {
    parse(text).0.unwrap_err().message
}

#[test]
fn every_section_is_read_with_its_line() {
    let (file, warnings) = parse(
        "[session_memory.retention]\nraw_soft_cap_bytes = \"2GiB\"\nraw_max_age_days = 9\n\
         [session_memory.sources]\nclaude = [\"~/a\", \"/b\"]\n\
         [session_memory.domains]\nweb = \"shop\"\n\
         [session_memory.task_ref]\npatterns = ['X-\\d+']\n\
         [hub]\nurl = \"http://hub/\"\n[decisions]\nmarker = \"ask\"\n",
    );
    let file = file.unwrap();
    assert_eq!(file.marker.as_ref().unwrap().value, "ask");
    assert_eq!(warnings, Vec::<String>::new());
    assert_eq!(file.retention["raw_max_age_days"].scalar, Scalar::Number(9));
    assert_eq!(file.retention["raw_soft_cap_bytes"].line, 2);
    let claude = &file.sources[&Flavor::Claude];
    assert_eq!(claude.value, ["~/a", "/b"]);
    assert_eq!(claude.origin, Origin::File("/c/config.toml".into(), 5));
    assert_eq!(file.domains.unwrap().value["web"], "shop");
    assert_eq!(file.task_ref.unwrap().value, ["X-\\d+"]);
    let url = file.hub_url.unwrap();
    assert_eq!(
        (url.value.as_str(), url.origin),
        ("http://hub/", Origin::File("/c/config.toml".into(), 11))
    );
}

#[test]
fn unknown_keys_warn_and_name_the_nearest() {
    let (file, warnings) = parse(
        "colour = 1\n[session_memory.retentoin]\na = 1\n\
         [session_memory.retention]\ncadance = \"daily\"\n[session_memory.sources]\ngemini = []\n\
         [hub]\nuri = 1\n",
    );
    assert!(file.is_ok());
    let mut warnings = warnings;
    warnings.sort();
    insta::assert_snapshot!(warnings.join("\n"), @r"
    /c/config.toml:1: unknown key `colour` in the file
    /c/config.toml:2: unknown key `retentoin` in [session_memory]; did you mean `retention`?
    /c/config.toml:5: unknown key `cadance` in [session_memory.retention]; did you mean `cadence`?
    /c/config.toml:7: unknown key `gemini` in [session_memory.sources]
    /c/config.toml:9: unknown key `uri` in [hub]; did you mean `url`?
    ");
}

#[test]
fn mistakes_are_named_with_line_and_column() {
    for (text, expected) in [
        ("a = 1\nb = = 2\n", "2:5: extra `=`, expected nothing"),
        (
            "[session_memory.retention]\ncadence = true\n",
            "2:11: cadence must be a text or a whole number, not boolean",
        ),
        (
            "[session_memory.sources]\nclaude = \"dir\"\n",
            "2:10: claude must be a list of texts: [\"DIR\", …]",
        ),
        (
            "[session_memory]\nsources = 3\n",
            "2:11: session_memory.sources must be a section: [session_memory.sources]",
        ),
        ("hub = 1\n", "1:7: hub must be a section: [hub]"),
        ("[hub]\nurl = 1\n", "2:7: url must be a text: \"http://…\""),
        ("[hub]\nurl = \"hub\"\n", "2:7: url must begin with http:// or https://"),
        ("[session_memory.domains]\nweb = 1\n", "2:7: the domain of web must be a text"),
    ] {
        assert_eq!(refusal(text), format!("/c/config.toml:{expected}"));
    }
    let (file, _) = parse("[session_memory.retention]\nraw_soft_cap_bytes = \"much\"\n");
    assert_eq!(
        retention::Retention::from_file(&file.unwrap()).unwrap_err().message,
        "/c/config.toml:2:22: raw_soft_cap_bytes must be a size like \"4GiB\" or a number of bytes"
    );
}
