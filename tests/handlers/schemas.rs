//! The published schemas and the types accept the same documents.

use std::collections::BTreeSet;
use std::iter;

use jsonschema::Validator;
use serde_json::{Value, json};
use snaphook::handlers::wire::{self, Event};
use snaphook_adapters::model::{EventKind, HookEvent};

use crate::invented;

const EVENT: &str = include_str!("../../schemas/event.schema.json");
const DECISION: &str = include_str!("../../schemas/decision.schema.json");

type Names = BTreeSet<String>;

fn schema(text: &str) -> Value {
    let schema = serde_json::from_str(text).unwrap();
    assert!(jsonschema::meta::is_valid(&schema));
    schema
}

pub(crate) fn event() -> Validator {
    jsonschema::validator_for(&schema(EVENT)).unwrap()
}

/// An event as `Value`. Numbers that it cannot hold and lone surrogates are removed first.
fn shown(event: &HookEvent) -> Value {
    let text = serde_json::to_string(&Event::from(event)).unwrap();
    serde_json::from_str(&text.replace("1E400", "1").replace("\\ud800", "")).unwrap()
}

fn keys(object: &Value) -> Names {
    object.as_object().into_iter().flat_map(|object| object.keys().cloned()).collect()
}

fn words(list: &Value) -> Names {
    list.as_array().unwrap().iter().filter_map(|word| word.as_str().map(str::to_owned)).collect()
}

#[test]
fn every_event_matches_the_schema() {
    let validator = event();
    for event in invented::all() {
        let shown = shown(&event);
        assert_eq!(validator.validate(&shown).map_err(|e| format!("{e} in {shown}")), Ok(()));
    }
    let good = shown(&invented::call());
    for spoil in [
        |event: &mut Value| event["odd"] = json!(1),
        |event: &mut Value| event["schema"] = json!(2),
        |event: &mut Value| event["tool"]["odd"] = json!(1),
        |event: &mut Value| event["tool"]["actions"] = json!([]),
        |event: &mut Value| event["tool"]["actions"][0]["path"] = json!("x"),
        |event: &mut Value| event["tool"]["actions"][0]["kind"] = json!("odd"),
        |event: &mut Value| event["cwd"] = Value::Null,
        |event: &mut Value| event.as_object_mut().unwrap().retain(|key, _| key != "native"),
    ] {
        let mut bad = good.clone();
        spoil(&mut bad);
        assert!(!validator.is_valid(&bad), "{bad}");
    }
}

#[test]
fn the_schema_lists_the_members_of_events_and_no_others() {
    let schema = schema(EVENT);
    let events: Vec<Value> = invented::all().iter().map(shown).collect();
    let seen = |at: &str| events.iter().filter_map(|event| event.pointer(at)).flat_map(keys).collect::<Names>();
    let listed = |at: &str| keys(schema.pointer(at).unwrap());
    assert_eq!(seen(""), listed("/properties"));
    assert_eq!(seen("/tool"), listed("/properties/tool/properties"));
    assert_eq!(seen("/result"), listed("/properties/result/properties"));

    let kinds = EventKind::ALL.iter().map(|kind| json!(kind).as_str().unwrap().to_owned());
    assert_eq!(words(&schema["properties"]["kind"]["enum"]), kinds.collect());

    let actions: Vec<&Value> =
        events.iter().filter_map(|event| event["tool"]["actions"].as_array()).flatten().collect();
    let mut left: Names = actions.iter().map(|action| action["kind"].as_str().unwrap().to_owned()).collect();
    for branch in schema["$defs"]["action"]["oneOf"].as_array().unwrap() {
        let kind = &branch["properties"]["kind"];
        let kinds =
            if kind["enum"].is_null() { vec![kind["const"].clone()] } else { kind["enum"].as_array().unwrap().clone() };
        for kind in kinds {
            let seen = actions.iter().filter(|action| action["kind"] == kind).flat_map(|action| keys(action));
            assert_eq!(seen.collect::<Names>(), keys(&branch["properties"]), "{kind}");
            assert!(left.remove(kind.as_str().unwrap()), "{kind} twice");
        }
    }
    assert_eq!(left, Names::new(), "actions that the schema does not know");
}

#[test]
fn the_native_parts_of_an_event_are_unchanged() {
    let text = serde_json::to_string(&Event::from(&invented::call())).unwrap();
    assert_eq!(text.matches(invented::ODD).count(), 2, "input and native: {text}");
    let sent = |literal: &str| serde_json::to_string(&Event::from(&invented::done(literal))).unwrap();
    let text = sent(r#""\u0061\ud83d\ude00""#);
    assert!(text.contains(r#""text":"\u0061\ud83d\ude00","raw":{"n":1.10,"text":"\u0061"#), "{text}");
    let text = sent(r#""\u0061\ud83d""#);
    assert!(text.contains(&format!(r#""text":"a{}","raw":{{"n":1.10,"text":"\u0061\ud83d""#, '\u{fffd}')), "{text}");
}

/// The member names that a type accepts at a place, from its error about an unknown member.
fn known(answer: &str) -> Names {
    let error = wire::decision(answer, &invented::observed()).unwrap_err().to_string();
    let (_, list) = error.split_once("expected").unwrap_or_else(|| panic!("{error}"));
    list.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn the_schema_lists_the_members_of_decisions_and_no_others() {
    let schema = schema(DECISION);
    let at = |pointer: &str| schema.pointer(pointer).unwrap();
    let long = "/$defs/decision/properties";
    let members: Names = [long, "/$defs/judged/properties"].into_iter().flat_map(|part| keys(at(part))).collect();
    assert_eq!(known(r#"{"odd":1}"#), members);
    assert_eq!(known(r#"{"response":{"odd":1}}"#), keys(at(&format!("{long}/response/properties"))));
    assert_eq!(known(r#"{"changes":[{"odd":1}]}"#), keys(at("/$defs/change/properties")));
    assert_eq!(known(r#"{"verdict":"odd"}"#), words(at(&format!("{long}/verdict/enum"))));
    assert_eq!(known(r#"{"decision":"odd"}"#), words(at("/$defs/judged/properties/decision/enum")));
    let targets = words(at("/$defs/change/properties/target/enum"));
    assert_eq!(known(r#"{"changes":[{"target":"odd"}]}"#), targets);
    assert_eq!(known(r#"{"changes":[{"need":"odd"}]}"#), words(at("/$defs/change/properties/need/enum")));
    let limited = at(&format!("{long}/changes/allOf")).as_array().unwrap();
    let limited =
        limited.iter().map(|rule| rule["contains"]["properties"]["target"]["const"].as_str().unwrap().to_owned());
    assert_eq!(limited.collect::<Names>(), targets);
}

const GOOD: &[&str] = &[
    "{}",
    r#"{"verdict":null,"reason":null,"response":null,"changes":null,"context":null,"notice":null,"summary":null,"extra":null}"#,
    r#"{"decision":"allow"}"#,
    r#"{"decision":"ask","reason":null}"#,
    r#"{"decision":"deny","reason":"no"}"#,
    r#"{"verdict":"pass","reason":"looks fine"}"#,
    r#"{"verdict":"keep_going","reason":"tests are red"}"#,
    r#"{"verdict":"hard_abort"}"#,
    r#"{"verdict":"respond","response":{"text":""}}"#,
    r#"{"verdict":"respond","response":{"text":"a","for_user":"b","silent":true,"is_error":true,"media":["m"],"artifact_tags":["t"],"handled":true}}"#,
    r#"{"verdict":"respond","response":{"text":"a","for_user":null,"silent":null,"is_error":null,"media":null,"artifact_tags":null,"handled":null}}"#,
    r#"{"changes":[]}"#,
    r#"{"verdict":"allow","changes":[{"target":"input","value":{}},{"target":"result","value":null,"need":"optional"}]}"#,
    r#"{"changes":[{"target":"input","tool":"other","value":{}}]}"#,
    r#"{"changes":[{"target":"result","tool":null,"value":{}}]}"#,
    r#"{"changes":[{"target":"prompt","value":"x","text":null,"need":null},{"target":"request","value":{"model":"m"}}]}"#,
    r#"{"changes":[{"target":"result","text":"x","need":"required"},{"target":"messages","value":[]}]}"#,
    r#"{"verdict":"ask","context":"c","notice":"n","summary":"s","extra":{"a":1,"b":null}}"#,
];

const BAD: &[&str] = &[
    "[]",
    "null",
    r#""allow""#,
    r#"{"verdict":"block"}"#,
    r#"{"verdict":"Allow"}"#,
    r#"{"odd":1}"#,
    r#"{"decision":"pass"}"#,
    r#"{"decision":"allow","verdict":"allow"}"#,
    r#"{"decision":"allow","context":"c"}"#,
    r#"{"decision":"allow","extra":{"a":1}}"#,
    r#"{"decision":"allow","changes":[{"target":"input","value":{}}]}"#,
    r#"{"reason":1}"#,
    r#"{"verdict":"respond"}"#,
    r#"{"verdict":"respond","response":null}"#,
    r#"{"response":{"text":"x"}}"#,
    r#"{"verdict":"deny","response":{"text":"x"}}"#,
    r#"{"verdict":"respond","response":{}}"#,
    r#"{"verdict":"respond","response":{"text":"x","odd":1}}"#,
    r#"{"verdict":"respond","response":{"text":"x","media":[1]}}"#,
    r#"{"verdict":"respond","response":{"text":"x","silent":"yes"}}"#,
    r#"{"changes":{}}"#,
    r#"{"changes":[{"value":1}]}"#,
    r#"{"changes":[{"target":"input"}]}"#,
    r#"{"changes":[{"target":"input","text":"x"}]}"#,
    r#"{"changes":[{"target":"result","text":null}]}"#,
    r#"{"changes":[{"target":"result","text":"x","value":"y"}]}"#,
    r#"{"changes":[{"target":"result","text":"x","value":null}]}"#,
    r#"{"changes":[{"target":"prompt","value":1}]}"#,
    r#"{"changes":[{"target":"request","value":[]}]}"#,
    r#"{"changes":[{"target":"tool","value":1}]}"#,
    r#"{"changes":[{"target":"input","value":1,"need":"maybe"}]}"#,
    r#"{"changes":[{"target":"input","tool":"","value":{}}]}"#,
    r#"{"changes":[{"target":"result","tool":"other","value":{}}]}"#,
    r#"{"changes":[{"target":"input","tool":"other"}]}"#,
    r#"{"changes":[{"target":"input","value":1,"odd":1}]}"#,
    r#"{"changes":[{"target":"input","value":1},{"target":"input","value":2,"need":"optional"}]}"#,
    r#"{"extra":[]}"#,
];

#[test]
fn schema_and_parser_accept_the_same_answers() {
    let validator = jsonschema::validator_for(&schema(DECISION)).unwrap();
    let event = invented::done(r#""out""#);
    let wanted = iter::repeat(true).zip(GOOD).chain(iter::repeat(false).zip(BAD));
    for (good, answer) in wanted {
        let by_schema = validator.is_valid(&serde_json::from_str(answer).unwrap());
        let by_type = wire::decision(answer, &event);
        assert_eq!((by_schema, by_type.is_ok()), (good, good), "{answer}: {by_type:?}");
    }
}
