//! Asks a local server over HTTP, as other programs do.

use std::io::{Read, Write};
use std::net::TcpStream;

/// The status, the headers in lower case, and the body of the answer to a request with these `headers`.
pub fn fetch(port: u16, path: &str, headers: &str) -> (u16, String, Vec<u8>) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nConnection: close\r\n{headers}\r\n").unwrap();
    let mut all = Vec::new();
    stream.read_to_end(&mut all).unwrap();
    let end = all.windows(4).position(|part| part == b"\r\n\r\n").unwrap();
    let head = String::from_utf8(all[..end].to_vec()).unwrap().to_lowercase();
    (head[9..12].parse().unwrap(), head, all[end + 4..].to_vec())
}

/// The headers of a request to the server at `port` with this token.
pub fn with_token(port: u16, token: &str) -> String {
    format!("Host: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n")
}
