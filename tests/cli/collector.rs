//! A collector on the loopback interface that decodes OTLP.

use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Map, Value};

use crate::http::{HttpRequest, answer};

/// What the collector answers to a request with these records: the status line with more headers, and the body.
pub(crate) type Answer = fn(&[LogRecord]) -> (&'static str, &'static str);

pub(crate) const OK: Answer = |_| ("200 OK", "{}");

/// A collector that keeps what it was sent.
pub(crate) struct Collector {
    pub(crate) url: String,
    answer: Arc<Mutex<Answer>>,
    got: Arc<Mutex<Got>>,
}

#[derive(Default, Clone)]
pub(crate) struct Got {
    /// The header of each request.
    pub(crate) heads: Vec<String>,
    pub(crate) resources: Vec<Map<String, Value>>,
    pub(crate) records: Vec<LogRecord>,
    /// The records of requests that were answered with 200.
    taken: Vec<LogRecord>,
}

/// A decoded log record.
#[derive(Clone)]
pub(crate) struct LogRecord {
    pub(crate) time: u64,
    pub(crate) severity: String,
    pub(crate) body: String,
    pub(crate) attributes: Map<String, Value>,
}

impl LogRecord {
    pub(crate) fn id(&self) -> String {
        self.attributes["snaphook.record.id"].as_str().unwrap().to_owned()
    }
}

impl Collector {
    pub(crate) fn start(answer: Answer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (answer, got) = (Arc::new(Mutex::new(answer)), Arc::<Mutex<Got>>::default());
        let (answers, keeps) = (Arc::clone(&answer), Arc::clone(&got));
        thread::spawn(move || {
            for stream in listener.incoming() {
                serve(&stream.unwrap(), &answers, &keeps);
            }
        });
        Self { url, answer, got }
    }

    pub(crate) fn answers(&self, answer: Answer) {
        *self.answer.lock().unwrap() = answer;
    }

    pub(crate) fn got(&self) -> Got {
        self.got.lock().unwrap().clone()
    }

    /// The ids of the records that were sent, in their order.
    pub(crate) fn ids(&self) -> Vec<String> {
        self.got().records.iter().map(LogRecord::id).collect()
    }

    /// The ids of the records that were sent and not refused, in their order.
    pub(crate) fn taken(&self) -> Vec<String> {
        self.got().taken.iter().map(LogRecord::id).collect()
    }

    /// Waits for this many records.
    #[track_caller]
    pub(crate) fn waits_for(&self, count: usize) {
        let until = Instant::now() + Duration::from_secs(30);
        while self.got().records.len() < count {
            assert!(Instant::now() < until, "{} of {count} records", self.got().records.len());
            thread::sleep(Duration::from_millis(20));
        }
    }
}

fn serve(stream: &TcpStream, answers: &Mutex<Answer>, got: &Mutex<Got>) {
    let Some(request) = HttpRequest::read(stream) else { return };
    let (resources, records) = decode(&serde_json::from_slice(&request.body).unwrap());
    let (status, body) = (*answers.lock().unwrap())(&records);
    let mut got = got.lock().unwrap();
    got.heads.push(request.head);
    got.resources.extend(resources);
    if status.starts_with("200") {
        got.taken.extend(records.clone());
    }
    got.records.extend(records);
    drop(got);
    // The sender may have been killed.
    let _ = answer(stream, status, body);
}

/// Decodes a request, and fails on anything that is not in OTLP.
fn decode(request: &Value) -> (Vec<Map<String, Value>>, Vec<LogRecord>) {
    let (mut resources, mut records) = (Vec::new(), Vec::new());
    for resource in items(only(request, &["resourceLogs"]), "resourceLogs") {
        let resource = only(resource, &["resource", "scopeLogs"]);
        resources.push(attributes(only(&resource["resource"], &["attributes"])));
        for scope in items(resource, "scopeLogs") {
            let scope = only(scope, &["scope", "logRecords"]);
            only(&scope["scope"], &["name", "version"]);
            records.extend(items(scope, "logRecords").iter().map(log_record));
        }
    }
    (resources, records)
}

fn log_record(record: &Value) -> LogRecord {
    let known =
        ["timeUnixNano", "observedTimeUnixNano", "severityNumber", "severityText", "eventName", "body", "attributes"];
    let record = only(record, &known);
    let time = |name: &str| record.get(name).map_or(0, |time| time.as_str().unwrap().parse().unwrap());
    assert!(time("observedTimeUnixNano") > 0);
    assert!((1..=24).contains(&record["severityNumber"].as_u64().unwrap()));
    LogRecord {
        time: time("timeUnixNano"),
        severity: record["severityText"].as_str().unwrap().to_owned(),
        body: any_value(&record["body"]).as_str().unwrap().to_owned(),
        attributes: attributes(record),
    }
}

fn attributes(of: &Map<String, Value>) -> Map<String, Value> {
    let mut found = Map::new();
    for attribute in items(of, "attributes") {
        let attribute = only(attribute, &["key", "value"]);
        let key = attribute["key"].as_str().unwrap();
        assert!(!key.is_empty());
        assert!(found.insert(key.to_owned(), any_value(&attribute["value"])).is_none(), "{key} is there twice");
    }
    found
}

fn any_value(value: &Value) -> Value {
    let value = value.as_object().unwrap();
    assert!(value.len() == 1, "{value:?}");
    let (kind, value) = value.iter().next().unwrap();
    match kind.as_str() {
        "stringValue" if value.is_string() => value.clone(),
        "boolValue" if value.is_boolean() => value.clone(),
        "doubleValue" if value.is_f64() => value.clone(),
        "intValue" => value.as_str().unwrap().parse::<i64>().unwrap().into(),
        "arrayValue" => items(only(value, &["values"]), "values").iter().map(any_value).collect(),
        "kvlistValue" => {
            let pair = |pair: &Value| {
                let pair = only(pair, &["key", "value"]);
                (pair["key"].as_str().unwrap().to_owned(), any_value(&pair["value"]))
            };
            Value::Object(items(only(value, &["values"]), "values").iter().map(pair).collect())
        }
        other => panic!("{other}: {value}"),
    }
}

fn only<'v>(value: &'v Value, known: &[&str]) -> &'v Map<String, Value> {
    let members = value.as_object().unwrap();
    assert!(members.keys().all(|key| known.contains(&key.as_str())), "{members:?}");
    members
}

fn items<'v>(of: &'v Map<String, Value>, name: &str) -> &'v [Value] {
    of[name].as_array().unwrap()
}
