#!/usr/bin/env python3
"""Serves the files of web/ as the server will, and passes every other request on to a running tile server.

    web/dev/serve.py --port 27080 --server http://127.0.0.1:8080 [--prefix /tiles]

`GET /` and `GET /{id}` that accept HTML are the page, `GET /assets/…` its files.
"""

import argparse
import http.client
import json
import re
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

WEB = Path(__file__).resolve().parent.parent
TYPES = {".js": "text/javascript", ".css": "text/css", ".html": "text/html", ".svg": "image/svg+xml"}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
    "worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def handle_any(self):
        prefix = self.server.prefix
        path = self.path.split("?")[0]
        if prefix and not path.startswith(prefix + "/"):
            return self.answer(404, "text/plain", b"outside the prefix")
        path = path[len(prefix):]
        if self.command in ("GET", "HEAD"):
            if path.startswith("/assets/") and (file := self.asset(path[8:])):
                return self.answer(200, TYPES[file.suffix] + "; charset=utf-8", file.read_bytes())
            wants_page = "text/html" in self.headers.get("Accept", "")
            if wants_page and (path == "/" or self.is_layer(path)):
                return self.answer(200, "text/html; charset=utf-8", (WEB / "index.html").read_bytes())
        self.pass_on()

    do_GET = do_HEAD = do_POST = do_DELETE = do_OPTIONS = handle_any

    def asset(self, name):
        for directory in self.server.directories:
            file = (directory / name).resolve()
            if directory in file.parents and file.is_file() and file.suffix in TYPES:
                return file
        return None

    def is_layer(self, path):
        return bool(re.fullmatch(r"/[a-z0-9][a-z0-9_-]{0,63}", path)) and any(
            document["id"] == path[1:] for document in self.documents())

    def answer(self, status, kind, body):
        self.send_response(status)
        for name, value in [
            ("Content-Type", kind), ("Content-Length", str(len(body))), ("Cache-Control", "no-cache"),
            ("Content-Security-Policy", POLICY), ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
        ]:
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def pass_on(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        connection = http.client.HTTPConnection(self.server.upstream, timeout=60)
        fields = {name: value for name, value in self.headers.items() if name.lower() not in ("connection", "host")}
        fields["Host"] = self.headers.get("Host", "localhost")
        connection.request(self.command, self.path[len(self.server.prefix):], body or None, fields)
        answer = connection.getresponse()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("connection", "transfer-encoding", "date", "server"):
                self.send_header(name, value)
        if answer.length is None:
            # An event stream ends only with its connection.
            self.send_header("Connection", "close")
        self.end_headers()
        try:
            while part := answer.read1(65536):
                self.wfile.write(part)
        except OSError:
            # The page has closed the connection.
            self.close_connection = True
        finally:
            connection.close()

    def documents(self):
        connection = http.client.HTTPConnection(self.server.upstream, timeout=60)
        connection.request("GET", "/layers.json")
        return json.loads(connection.getresponse().read())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--port", type=int, default=8081)
    parser.add_argument("--server", default="http://127.0.0.1:8080")
    parser.add_argument("--prefix", default="")
    parser.add_argument("--assets", type=Path, help="a directory whose files go before those of web/, such as bundles")
    options = parser.parse_args()
    server = ThreadingHTTPServer(("127.0.0.1", options.port), Handler)
    server.daemon_threads = True
    server.upstream = urllib.parse.urlsplit(options.server).netloc
    server.prefix = options.prefix.rstrip("/")
    server.directories = [options.assets.resolve(), WEB] if options.assets else [WEB]
    print(f"http://127.0.0.1:{options.port}{server.prefix}/", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
