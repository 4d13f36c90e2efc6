//! Records of the log as log records of OpenTelemetry, in the JSON form of OTLP.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value, json};
use snaphook_adapters::fit::cut;

use crate::platform::processes;

/// The members that have another name there. The others begin with `snaphook.`.
const NAMES: &[(&str, &str)] = &[
    ("agent", "gen_ai.agent.name"),
    ("call", "gen_ai.tool.call.id"),
    ("id", "snaphook.record.id"),
    ("input", "gen_ai.tool.call.arguments"),
    ("session", "gen_ai.conversation.id"),
    ("tool", "gen_ai.tool.name"),
];

/// The request that sends lines of the log.
pub(super) fn request(lines: &[&[u8]]) -> String {
    let observed = nanoseconds(SystemTime::now());
    let records: Vec<_> = lines.iter().map(|line| log_record(line, &observed)).collect();
    let mut resource = vec![
        attribute("service.name", "snaphook".into()),
        attribute("service.version", env!("CARGO_PKG_VERSION").into()),
    ];
    resource.extend(processes::machine_name().map(|name| attribute("host.name", name.into())));
    json!({"resourceLogs": [{
        "resource": {"attributes": resource},
        "scopeLogs": [{
            "scope": {"name": "snaphook", "version": env!("CARGO_PKG_VERSION")},
            "logRecords": records,
        }],
    }]})
    .to_string()
}

fn log_record(line: &[u8], observed: &str) -> Value {
    let Ok(mut members) = serde_json::from_slice::<Map<String, Value>>(line) else {
        return json!({
            "observedTimeUnixNano": observed,
            "severityNumber": WARN.0,
            "severityText": WARN.1,
            "body": {"stringValue": String::from_utf8_lossy(line)},
            "attributes": [attribute("snaphook.invalid_line", true.into())],
        });
    };
    let text = |name: &str| members.get(name).and_then(Value::as_str).unwrap_or_default();
    let (severity, severity_text) = severity(&members, text("sent"));
    let about = [text("tool"), text("event")].into_iter().find(|name| !name.is_empty()).unwrap_or_default();
    let mut body = format!("{} {about}", text("sent"));
    if let Some(why) = [text("failure"), text("reason")].into_iter().find(|why| !why.is_empty()) {
        body = format!("{body}: {why}");
    }
    let body = cut(&body, BODY);
    let time = humantime::parse_rfc3339(text("time")).map_or_else(|_| observed.to_owned(), nanoseconds);
    members.shift_remove("time");
    let mut attributes = Vec::with_capacity(members.len() + 1);
    if members.contains_key("tool") {
        attributes.push(attribute("gen_ai.operation.name", "execute_tool".into()));
    }
    attributes.extend(members.into_iter().filter(|(_, value)| !value.is_null()).map(|(member, value)| {
        let known = NAMES.iter().find(|(name, _)| *name == member);
        attribute(&known.map_or_else(|| format!("snaphook.{member}"), |(_, name)| (*name).to_owned()), value)
    }));
    json!({
        "timeUnixNano": time,
        "observedTimeUnixNano": observed,
        "severityNumber": severity,
        "severityText": severity_text,
        "eventName": "snaphook.decision",
        "body": {"stringValue": body},
        "attributes": attributes,
    })
}

fn severity(members: &Map<String, Value>, sent: &str) -> (u8, &'static str) {
    match sent {
        _ if members.contains_key("failure") || members.contains_key("incident") => ERROR,
        "pass" | "allow" => INFO,
        _ => WARN,
    }
}

fn attribute(key: &str, value: Value) -> Value {
    json!({"key": key, "value": any_value(value)})
}

fn any_value(value: Value) -> Value {
    match value {
        Value::Null => json!({}),
        Value::Bool(is) => json!({"boolValue": is}),
        // A 64-bit integer is a string in this form.
        Value::Number(number) => match number.as_i64() {
            Some(number) => json!({"intValue": number.to_string()}),
            None => json!({"doubleValue": number.as_f64()}),
        },
        Value::String(text) => json!({"stringValue": text}),
        Value::Array(items) => {
            json!({"arrayValue": {"values": items.into_iter().map(any_value).collect::<Vec<_>>()}})
        }
        Value::Object(members) => {
            let values: Vec<_> = members.into_iter().map(|(key, value)| attribute(&key, value)).collect();
            json!({"kvlistValue": {"values": values}})
        }
    }
}

fn nanoseconds(time: SystemTime) -> String {
    time.duration_since(UNIX_EPOCH).map_or_else(|_| "0".to_owned(), |time| time.as_nanos().to_string())
}

type Severity = (u8, &'static str);
const INFO: Severity = (9, "INFO");
const WARN: Severity = (13, "WARN");
const ERROR: Severity = (17, "ERROR");
/// The maximum length of the text of a record; its attributes have all of it.
const BODY: usize = 1 << 10;
