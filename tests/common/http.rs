//! The server's side of HTTP: reads a request and answers it.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

/// A request: the lines of its header, and its body.
pub(crate) struct HttpRequest {
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl HttpRequest {
    /// Reads the request of a connection; `None` if there is none.
    pub(crate) fn read(stream: &TcpStream) -> Option<Self> {
        let mut reader = BufReader::new(stream);
        let (mut head, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap() == 0 {
                return None;
            }
            if let Some(text) = line.to_lowercase().strip_prefix("content-length:") {
                length = text.trim().parse().unwrap();
            }
            if line.trim().is_empty() {
                break;
            }
            head.push_str(&line);
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        Some(Self { head, body })
    }
}

/// Answers a request. `status` is the status line with more headers.
pub(crate) fn answer(mut stream: &TcpStream, status: &str, body: &str) -> io::Result<()> {
    let length = body.len();
    write!(stream, "HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}")
}
