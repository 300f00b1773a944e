//! What holds for any file: two readings are one, no bytes break a reader, state stays small.

use crate::support::*;
use backstory_adapters::NoAncestry;
use proptest::prelude::*;

fn any_line() -> impl Strategy<Value = String> {
    let text = prop::sample::select(vec!["go", "ok", "continue", "<environment_context>x", ""]);
    let call = prop::sample::select(vec!["c1", "c2", "c3"]);
    let number = 0_u64..5;
    prop_oneof![
        text.clone().prop_map(user),
        text.clone().prop_map(user_event),
        text.clone().prop_map(assistant),
        text.clone().prop_map(assistant_event),
        text.prop_map(|text| event(&format!(r#"{{"type":"agent_reasoning","text":"{text}"}}"#))),
        call.clone().prop_map(|call| exec(call, "make")),
        call.clone().prop_map(|call| output(call, "Exit code: 1\\nOutput:\\n")),
        call.clone().prop_map(|call| event(&format!(
            r#"{{"type":"exec_command_end","call_id":"{call}","command":["make"],"exit_code":1}}"#
        ))),
        call.prop_map(|call| completed(&format!(
            r#"{{"type":"CommandExecution","id":"{call}","command":["make"],"exit_code":0}}"#
        ))),
        (number.clone(), number.clone()).prop_map(|(total, last)| count(total * 10, last * 10)),
        number.clone().prop_map(|n| at(
            1,
            "token_usage_record",
            &format!(
                r#"{{"response_id":"r{n}","usage":{},"thread_token_usage":{}}}"#,
                counts(n),
                counts(n)
            )
        )),
        (0_u32..5).prop_map(|n| started(&id(n * 10 + 1))),
        (0_u32..5).prop_map(|n| done(&id(n * 10 + 1))),
        (0_u32..4).prop_map(|n| meta(n * 10, "")),
        (1_u32..4).prop_map(|n| meta(1, &format!(r#","forked_from_id":"{}""#, id(n * 10)))),
        Just(at(1, "compacted", r#"{"message":""}"#)),
        Just(event(r#"{"type":"context_compacted"}"#)),
        Just(event(r#"{"type":"entered_review_mode"}"#)),
        Just(event(r#"{"type":"thread_settings_applied","thread_settings":{"model":"m"}}"#)),
        Just(r#"{"record_type":"state"}"#.to_owned()),
        Just("not json".to_owned()),
    ]
}

proptest! {
    #[test]
    fn reading_in_two_parts_is_reading_at_once(
        lines in prop::collection::vec(any_line(), 1..40),
        cut in any::<prop::sample::Index>(),
    ) {
        let cut = cut.index(lines.len());
        let mut whole = Reading::default();
        feed(open(1, &lines).as_mut(), &lines, 0, &mut NoAncestry, &mut whole);

        let mut parts = Reading::default();
        let mut first = open(1, &lines);
        feed(first.as_mut(), &lines[..cut], 0, &mut NoAncestry, &mut parts);
        let mut second = open(1, &lines);
        prop_assert!(second.restore(&first.save()));
        feed(second.as_mut(), &lines[cut..], cut, &mut NoAncestry, &mut parts);

        prop_assert_eq!(&whole.events, &parts.events);
        prop_assert_eq!(&whole.yields, &parts.yields);
        prop_assert_eq!(format!("{:?}", whole.usage), format!("{:?}", parts.usage));
        prop_assert_eq!(format!("{:?}", whole.patches), format!("{:?}", parts.patches));
    }

    #[test]
    fn no_bytes_break_a_reader(lines in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..80), 0..20)) {
        let mut reader = open(1, &[]);
        let mut reading = Reading::default();
        feed(reader.as_mut(), &lines, 0, &mut NoAncestry, &mut reading);
        for (line, yields) in lines.iter().zip(&reading.yields) {
            prop_assert!(*yields > 0 || line.iter().all(u8::is_ascii_whitespace));
        }
        reader.begin(&lines.concat());
        reader.restore(&lines.concat());
    }

    #[test]
    fn damaged_records_break_no_reader(line in any_line(), at in any::<prop::sample::Index>(), byte: u8) {
        let mut bytes = line.into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let mut reader = open(1, &[]);
        let mut reading = Reading::default();
        feed(reader.as_mut(), &[bytes], 0, &mut NoAncestry, &mut reading);
    }
}

#[test]
fn saved_state_stays_small_however_long_the_file() {
    let mut lines = vec![meta(1, "")];
    for n in 0..5000 {
        lines.push(user(&format!("prompt {n}")));
        lines.push(assistant(&format!("answer {n}")));
        lines.push(exec(&format!("call_{n}"), "make"));
    }
    for n in 0..5000 {
        lines.push(assistant(&format!("more {n}")));
    }
    let mut reader = open(1, &lines);
    feed(reader.as_mut(), &lines, 0, &mut NoAncestry, &mut Reading::default());
    assert!(reader.save().len() < 24 * 1024, "{}", reader.save().len());
    assert!(!open(1, &lines).restore(b"{\"version\":0,\"thread\":{}}"));
}
