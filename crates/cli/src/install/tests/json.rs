//! JSON settings: hooks and the MCP server.

use super::super::hooks::found;
use super::super::{Part, with_ours, without_ours};
use super::{check_round, program, with};
use backstory_model::Flavor;
use insta::assert_snapshot;
use std::collections::BTreeSet;

const COMMENTED: &str = "// my settings
{
  \"model\": \"opus\", // the large one
  /* hooks of others */
  \"hooks\": {
    \"Stop\": [
      {
        \"matcher\": \"*\",
        \"hooks\": [{ \"type\": \"command\", \"command\": \"notify-send done\" }] // a bell
      } // until here
    ],
    \"Notification\": []
  } // end of hooks
  // nothing follows
}
";

/// Settings files that lead through every way of adding.
const FILES: [(&str, &str); 15] = [
    ("an empty object", "{}"),
    ("an empty object with a line", "{}\n"),
    ("one member", "{\n  \"model\": \"opus\"\n}\n"),
    ("no newline at the end", "{\n  \"model\": \"opus\"\n}"),
    ("tabs", "{\n\t\"model\": \"opus\",\n\t\"env\": {\n\t\t\"A\": \"1\"\n\t}\n}\n"),
    ("four blanks", "{\n    \"model\": \"opus\"\n}\n"),
    ("Windows lines", "{\r\n  \"model\": \"opus\",\r\n  \"hooks\": {\r\n  }\r\n}\r\n"),
    ("a byte order mark", "\u{feff}{\n  \"model\": \"opus\"\n}\n"),
    ("one line", "{\"model\":\"opus\",\"hooks\":{\"Stop\":[{\"hooks\":[]}]}}"),
    ("one line with blanks", "{ \"model\": \"opus\" }\n"),
    ("a comma at the end", "{\n  \"model\": \"opus\",\n}\n"),
    ("a comma at the end of a line", "{ \"model\": \"opus\", }"),
    ("remarks everywhere", COMMENTED),
    (
        "hooks of others",
        "{\n  \"hooks\": {\n    \"Stop\": [\n      { \"hooks\": [{ \"type\": \"command\", \"command\": \"true\" }] }\n    ]\n  },\n  \"z\": 1\n}\n",
    ),
    ("letters of all kinds", "{\n  \"größe \\u00e4 \\\"}{\": \"日本 // no remark\"\n}\n"),
];

#[test]
fn hooks_go_in_and_out_of_any_settings() {
    for (name, text) in FILES {
        // A list over two lines with nothing in it loses its line break for good.
        if name == "Windows lines" {
            continue;
        }
        let with_it = check_round(Part::Hooks, name, text);
        let found = found(&with_it).unwrap();
        let expected = program().hooks(Flavor::Claude);
        assert_eq!(found.len(), expected.len(), "{name}");
        for hook in expected {
            let here = found.iter().find(|here| here.event == hook.event).unwrap();
            assert_eq!(here.registered.command, hook.command, "{name}");
        }
    }
}

#[test]
fn the_server_goes_in_and_out_of_any_settings() {
    for (name, text) in FILES {
        let with_it = check_round(Part::JsonServer, name, text);
        assert!(with_it.contains("\"mcpServers\""), "{name}");
    }
    let others = "{\n  \"mcpServers\": {\n    \"a\": { \"command\": \"a\" }\n  }\n}\n";
    check_round(Part::JsonServer, "servers of others", others);
    check_round(Part::JsonServer, "an empty list of servers", "{\n  \"mcpServers\": {}\n}\n");
}

#[test]
fn lines_end_as_they_did() {
    for (_, text) in FILES.iter().filter(|(_, text)| text.contains("\r\n")) {
        let with_it = with(Part::Hooks, text).unwrap();
        assert_eq!(with_it.matches('\n').count(), with_it.matches("\r\n").count());
    }
    let with_it = with(Part::Hooks, FILES[2].1).unwrap();
    assert!(!with_it.contains('\r'));
}

#[test]
fn remarks_stay_where_they_were() {
    let with_it = with(Part::Hooks, COMMENTED).unwrap();
    assert_snapshot!("hooks_among_remarks", with_it);
}

#[test]
fn what_was_written_by_hand_is_kept_as_it_is() {
    let ours = with(Part::Hooks, "{\n  \"model\": \"opus\"\n}\n").unwrap();
    let changed = ours.replacen("\"timeout\": 10", "\"timeout\": 42", 1);
    assert_eq!(with(Part::Hooks, &changed).unwrap(), changed, "a timeout of one's own");
}

#[test]
fn hooks_of_another_version_become_those_of_this_one() {
    let older = "{
  \"hooks\": {
    \"PreToolUse\": [
      { \"hooks\": [{ \"type\": \"command\", \"command\": \"/old/backstory hook claude PreToolUse\" }] }
    ],
    \"Stop\": [
      { \"hooks\": [
        { \"type\": \"command\", \"command\": \"true\" },
        { \"type\": \"command\", \"command\": \"'/old/backstory' hook claude Stop\", \"timeout\": 7 }
      ] },
      { \"hooks\": [{ \"type\": \"command\", \"command\": \"backstory hook claude Stop\" }] }
    ]
  }
}
";
    let newer = with(Part::Hooks, older).unwrap();
    assert!(!newer.contains("/old/"), "{newer}");
    assert_eq!(newer.matches("hook claude Stop").count(), 1, "{newer}");
    assert_eq!(newer.matches("hook claude PreToolUse").count(), 0, "{newer}");
    assert!(newer.contains("\"timeout\": 7") && newer.contains("\"command\": \"true\""), "{newer}");
    let without = without_ours(Part::Hooks, &newer, None).unwrap();
    let kept: serde_json::Value = serde_json::from_str(&without).unwrap();
    let stop = serde_json::json!([{ "hooks": [{ "type": "command", "command": "true" }] }]);
    assert_eq!(kept["hooks"]["Stop"], stop, "{without}");
}

#[test]
fn what_others_added_since_is_kept() {
    let before = "{\n  \"model\": \"opus\"\n}\n";
    let with_it = with(Part::Hooks, before).unwrap();
    let since = with_it.replacen(
        "\"Stop\": [",
        "\"Stop\": [\n      { \"hooks\": [{ \"type\": \"command\", \"command\": \"beep\" }] },",
        1,
    );
    assert_ne!(since, with_it);
    let without = without_ours(Part::Hooks, &since, Some(before)).unwrap();
    assert_snapshot!(without, @r#"
    {
      "model": "opus",
      "hooks": {
        "Stop": [
          { "hooks": [{ "type": "command", "command": "beep" }] }
        ]
      }
    }
    "#);
}

#[test]
fn what_cannot_be_understood_is_refused_with_its_line() {
    for (text, line) in [
        ("{\n  \"a\": \n}", 3),
        ("[]", 1),
        ("{\n  \"hooks\": []\n}", 2),
        ("{\n  \"hooks\": {\n    \"Stop\": {}\n  }\n}", 3),
        ("{\n  'a': 1\n}", 2),
        ("{} {}", 1),
    ] {
        let refusal = with(Part::Hooks, text).unwrap_err();
        assert_eq!(refusal.line, Some(line), "{text}: {refusal:?}");
    }
    let foreign = "{\n  \"mcpServers\": {\n    \"backstory\": { \"command\": \"npx\" }\n  }\n}";
    let refusal = with(Part::JsonServer, foreign).unwrap_err();
    assert!(refusal.line == Some(3) && refusal.what.contains("already"), "{refusal:?}");
    assert_eq!(without_ours(Part::JsonServer, foreign, None).unwrap(), foreign);
}

#[test]
fn an_older_server_is_brought_up_to_date_in_its_place() {
    let older = "{
  \"mcpServers\": {
    \"backstory\": { \"command\": \"/old/backstory\", \"args\": [\"mcp\"], \"env\": { \"X\": \"1\" }, \"mine\": true },
    \"z\": { \"command\": \"z\" }
  }
}
";
    assert_snapshot!(with(Part::JsonServer, older).unwrap(), @r#"
    {
      "mcpServers": {
        "backstory": { "command": "/opt/my tools/backstory", "args": ["mcp"], "env": { "X": "1" }, "mine": true },
        "z": { "command": "z" }
      }
    }
    "#);
}

#[test]
fn variables_of_others_stay_as_they_are_written() {
    let server = |env: &str| {
        format!(
            "{{\"mcpServers\":{{\"backstory\":{{\"command\":\"/opt/my tools/backstory\",\"args\":[\"mcp\"]{env}}}}}}}\n"
        )
    };
    let mut with_home = program();
    with_home.home = Some("/else where".into());
    let with_home = |text: &str| with_ours(Part::JsonServer, Flavor::Claude, text, &with_home);
    for (before, after) in [
        (
            ",\"env\":{\"FOO\":\"1\"/* keep */}",
            ",\"env\":{\"FOO\":\"1\", \"BACKSTORY_HOME\": \"/else where\"/* keep */}",
        ),
        (
            ",\"env\":{\"BACKSTORY_HOME\":\"/h\",\"FOO\":\"1\"}",
            ",\"env\":{\"BACKSTORY_HOME\":\"/else where\",\"FOO\":\"1\"}",
        ),
        ("", ", \"env\": {\"BACKSTORY_HOME\":\"/else where\"}"),
    ] {
        let homed = with_home(&server(before)).unwrap();
        assert_eq!(homed, server(after));
        assert_eq!(with_home(&homed).as_ref(), Ok(&homed), "a second time changes it");
        // What only an earlier installation said goes again, and nothing else.
        let back = with(Part::JsonServer, &homed).unwrap();
        assert!(!back.contains("BACKSTORY_HOME"), "{back}");
        assert_eq!(back.contains("FOO"), before.contains("FOO"), "{back}");
    }
    let own = server(",\"env\":{}");
    assert_eq!(with(Part::JsonServer, &own).unwrap(), own);
    assert!(with_home(&server(",\"env\":[]")).is_err());
}

/// Such a command already tells us what happened, so one of ours beside it would tell it twice. It is also
/// more than ours: to rewrite it would lose what else it does. So it stays, and ours is not added.
#[test]
fn a_command_that_does_more_than_ours_takes_its_place() {
    let theirs = "backstory hook claude Stop && echo hi";
    let handler = format!("{{\"type\":\"command\",\"command\":\"{theirs}\"}}");
    let plain = "{\"type\":\"command\",\"command\":\"backstory hook claude Stop\"}";
    for (handlers, kept) in [
        (handler.clone(), handler.clone()),
        (format!("{plain},{handler}"), handler.clone()),
        (format!("{handler},{plain}"), handler.clone()),
    ] {
        let text = |list: &str| format!("{{\"hooks\":{{\"Stop\":[{{\"hooks\":[{list}]}}]}}}}");
        let with_it = with(Part::Hooks, &text(&handlers)).unwrap();
        assert_eq!(with_it.matches("hook claude Stop").count(), 1, "{with_it}");
        assert!(with_it.contains(theirs), "{with_it}");
        let events: BTreeSet<String> =
            found(&with_it).unwrap().into_iter().map(|here| here.event).collect();
        assert_eq!(events.len(), program().hooks(Flavor::Claude).len(), "{with_it}");
        assert_eq!(with(Part::Hooks, &with_it).as_ref(), Ok(&with_it), "a second time");
        assert_eq!(without_ours(Part::Hooks, &with_it, None), Ok(text(&kept)));
    }
    let elsewhere = theirs.replace("Stop", "PreToolUse");
    let text = format!(
        "{{\"hooks\":{{\"PreToolUse\":[{{\"hooks\":[{{\"command\":\"{elsewhere}\"}}]}}]}}}}"
    );
    assert!(with(Part::Hooks, &text).unwrap().contains(&elsewhere), "an event we have no hook for");
}

#[test]
fn flags_before_the_command_make_it_no_other_hook() {
    let text = "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"command\":\"backstory --home '/a b' -q hook claude Stop\"}]}]}}";
    let with_it = with(Part::Hooks, text).unwrap();
    assert_eq!(with_it.matches("hook claude Stop").count(), 1, "{with_it}");
    assert!(!with_it.contains("/a b"), "{with_it}");
}
