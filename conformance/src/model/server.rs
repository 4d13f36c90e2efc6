//! The server: answers and records every request.
//!
//! After a conversation has started a sub-agent, its next request is answered only when the sub-agent is done: some
//! agents do not wait for their sub-agents, and would end them.

use std::convert::Infallible;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};

use super::steps::SUB_AGENT;
use super::{Api, FINAL, Say, Step, steps};

struct Model {
    script: Vec<Step>,
    log: PathBuf,
    requests: AtomicUsize,
    through: Arc<AtomicBool>,
    /// True between the call that starts a sub-agent and the sub-agent's last answer.
    sub_agent: AtomicBool,
}

/// The longest wait for a sub-agent.
const SUB_AGENT_LIMIT: Duration = Duration::from_secs(20);

/// Answers on a socket until the process ends; `through` becomes true with the last answer.
pub(crate) fn serve(
    listener: std::net::TcpListener,
    script: Vec<Step>,
    log: &Path,
    through: Arc<AtomicBool>,
) -> io::Result<()> {
    let sub_agent = AtomicBool::new(false);
    let model = Arc::new(Model { script, log: log.to_owned(), requests: AtomicUsize::new(1), through, sub_agent });
    listener.set_nonblocking(true)?;
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        loop {
            let (stream, _) = listener.accept().await?;
            let model = Arc::clone(&model);
            let service = service_fn(move |request| answer(Arc::clone(&model), request));
            tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
        }
    })
}

async fn answer(model: Arc<Model>, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let (method, path) = (request.method().clone(), request.uri().to_string());
    let body = request.into_body().collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    if !steps::in_sub_agent(&body) {
        let ended = async {
            while model.sub_agent.load(Ordering::Relaxed) {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        // A sub-agent that sends no request is waited for only once.
        if tokio::time::timeout(SUB_AGENT_LIMIT, ended).await.is_err() {
            model.sub_agent.store(false, Ordering::Relaxed);
        }
    }
    let (status, kind, text) = model.answer(&method, &path, &body);
    let mut response = Response::new(Full::new(Bytes::from(text)));
    *response.status_mut() = status;
    if let Ok(kind) = kind.parse() {
        response.headers_mut().insert(hyper::header::CONTENT_TYPE, kind);
    }
    Ok(response)
}

impl Model {
    fn answer(&self, method: &Method, path: &str, body: &Value) -> (StatusCode, &'static str, String) {
        let json = "application/json";
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        let api = Api::of(path).filter(|_| method == Method::POST);
        let Some(api) = api else {
            self.note(number, &json!({"method": method.as_str(), "path": path, "body": body}));
            return match path {
                _ if path.contains("count_tokens") => (StatusCode::OK, json, json!({"input_tokens": 10}).to_string()),
                _ if path.contains("/models") => {
                    let one = json!({"id": "scripted", "object": "model", "type": "model"});
                    (StatusCode::OK, json, json!({"object": "list", "data": [one]}).to_string())
                }
                _ if method == Method::POST || path == "/" => (StatusCode::OK, json, "{}".into()),
                _ => (StatusCode::NOT_FOUND, json, "{}".into()),
            };
        };
        let conversation = api.read(body);
        let say = steps::next(&self.script, &conversation, body);
        let reply = api.write(body, path, &say, number);
        let (tool, words) = match &say {
            Say::Text(text) => (None, Some(text)),
            Say::Call { tool, .. } => (Some(&tool.name), None),
        };
        let through = words.is_some_and(|words| words == FINAL);
        let tools: Vec<_> = conversation.tools.iter().map(|tool| &tool.name).collect();
        self.note(
            number,
            &json!({
                "api": api, "path": path, "calls": conversation.calls, "results": conversation.results, "tools": tools, "tool": tool,
                "words": words, "body": body,
            }),
        );
        if through && steps::in_sub_agent(body) {
            self.sub_agent.store(false, Ordering::Relaxed);
        } else if through {
            self.through.store(true, Ordering::Relaxed);
        }
        if matches!(&say, Say::Call { input, .. } if input.contains(SUB_AGENT)) {
            self.sub_agent.store(true, Ordering::Relaxed);
        }
        (StatusCode::OK, reply.kind(), reply.body())
    }

    /// Records a request; if the disk is full, the request is missing in the outcome.
    fn note(&self, number: usize, record: &Value) {
        drop(std::fs::write(self.log.join(format!("{number:04}.json")), record.to_string()));
    }
}
