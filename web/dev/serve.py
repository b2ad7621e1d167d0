#!/usr/bin/env python3
"""Serves the files of web/ as the server will, and passes every other request on to a running tile server.

    web/dev/serve.py --port 27080 --server http://127.0.0.1:8080 [--prefix /tiles]

`GET /` and `GET /{id}` that accept HTML are the page, `GET /assets/…` its files. `GET /events` is answered here: clears that pass
through are told to every page that listens; others are not.
"""

import argparse
import http.client
import json
import queue
import re
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

WEB = Path(__file__).resolve().parent.parent
TYPES = {".js": "text/javascript", ".css": "text/css", ".html": "text/html", ".svg": "image/svg+xml"}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
    "worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class Events:
    """What has been cleared, for pages that listen and for those that come back."""

    def __init__(self):
        self.lock = threading.Lock()
        self.ring = []
        self.listeners = set()

    def send(self, event):
        with self.lock:
            number = (self.ring[-1][0] if self.ring else 0) + 1
            self.ring = (self.ring + [(number, event)])[-256:]
            for listener in self.listeners:
                listener.put((number, event))

    def listen(self, last):
        listener = queue.Queue()
        with self.lock:
            for entry in self.ring:
                if last is not None and entry[0] > last:
                    listener.put(entry)
            self.listeners.add(listener)
        return listener


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
            if path == "/events":
                return self.stream()
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
        content = answer.read()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("connection", "content-length", "transfer-encoding", "date", "server"):
                self.send_header(name, value)
        if answer.status not in (204, 304):
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)
        if self.command == "DELETE" and answer.status == 200:
            self.tell(json.loads(content))

    def tell(self, cleared):
        url = urllib.parse.urlsplit(self.path[len(self.server.prefix):])
        query = dict(urllib.parse.parse_qsl(url.query))
        parts = url.path.removeprefix("/admin/cache").strip("/").split("/")
        event = {"type": "clear", "layer": parts[0] or "*"}
        if "generation" in cleared:
            event["generation"] = cleared["generation"]
        if len(parts) == 4:
            event["tile"] = [int(part) for part in parts[1:]]
        if "bbox" in query:
            event["bbox"] = [float(number) for number in query["bbox"].split(",")]
        if "zoom" in query:
            ends = [int(number) for number in query["zoom"].split("-")]
            event["zoom"] = [ends[0], ends[-1]]
        event["soft"] = query.get("soft") == "1"
        self.server.events.send(event)
        # What a clear takes from a map is an event of the map's own.
        for document in self.documents():
            if event["layer"] in document.get("layers", []):
                self.server.events.send({**event, "layer": document["id"]})

    def documents(self):
        connection = http.client.HTTPConnection(self.server.upstream, timeout=60)
        connection.request("GET", "/layers.json")
        return json.loads(connection.getresponse().read())

    def stream(self):
        last = self.headers.get("Last-Event-ID")
        listener = self.server.events.listen(int(last) if last else None)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.send_header("Connection", "close")
        self.end_headers()
        try:
            self.wfile.write(b": listening\n\n")
            while True:
                try:
                    number, event = listener.get(timeout=15)
                    self.wfile.write(f"id: {number}\ndata: {json.dumps(event)}\n\n".encode())
                except queue.Empty:
                    self.wfile.write(b": still here\n\n")
        except OSError:
            pass
        finally:
            self.server.events.listeners.discard(listener)
            self.close_connection = True


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
    server.events = Events()
    print(f"http://127.0.0.1:{options.port}{server.prefix}/", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
