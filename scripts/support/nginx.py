"""Debian's nginx with its own configuration: as an upstream, and as a peer in comparisons."""
import os
import re

from . import certificate
from .machine import Program, fetch, free_port

MAIN = """\
daemon off;
{user}
worker_processes 1;
pid {directory}/nginx.pid;
error_log stderr error;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    default_type image/png;
    sendfile on;
    tcp_nopush on;
    tcp_nodelay on;
    keepalive_timeout 300;
    keepalive_requests {keepalive_requests};
    client_body_temp_path {directory}/body;
    proxy_temp_path {directory}/proxy;
    fastcgi_temp_path {directory}/fastcgi;
    uwsgi_temp_path {directory}/uwsgi;
    scgi_temp_path {directory}/scgi;
    {http}
    server {{
        listen 127.0.0.1:{port} backlog=4096;
        location = /nginx-status {{ stub_status; }}
        {server}
    }}
}}
"""


class Nginx(Program):
    """nginx with one worker process and no log, configured by the texts `http` and `server`."""

    def __init__(self, directory, http="", server="", core=None, keepalive_requests=1_000_000):
        directory.mkdir(parents=True, exist_ok=True)
        port = free_port()
        # Otherwise the worker would change to a user that cannot read the directory.
        user = "user root;" if os.geteuid() == 0 else ""
        configuration = directory / "nginx.conf"
        configuration.write_text(MAIN.format(
            user=user, directory=directory, port=port, http=http, server=server,
            keepalive_requests=keepalive_requests))
        super().__init__(
            ["nginx", "-e", "stderr", "-p", directory, "-c", configuration], f"http://127.0.0.1:{port}",
            directory / "nginx.log", core)

    def workers(self):
        """Returns the worker and the cache's processes without the master, which does no work."""
        pid = self.process.pid
        with open(f"/proc/{pid}/task/{pid}/children") as children:
            return [int(child) for child in children.read().split()]

    def request_count(self):
        """Returns the number of requests so far, including this one."""
        status = fetch(self.url + "/nginx-status")[2].decode()
        return int(re.search(r"\n ?\d+ \d+ (\d+)", status)[1])


def serving_one_file(directory, body, core=None):
    """An upstream that sends the same bytes for every path."""
    (directory / "files").mkdir(parents=True)
    (directory / "files/tile.png").write_bytes(body)
    return Nginx(
        directory, core=core, http="open_file_cache max=100;",
        server=f"location / {{ root {directory}/files; try_files /tile.png =404; }}")


def serving_files(directory, root):
    """An upstream that sends the files below `root`."""
    return Nginx(directory, server=f"location / {{ root {root}; }}")


def caching_proxy(
        directory, upstream, core=None, keepalive_requests=1_000_000, open_files=0, cache=None, identity=None):
    """The peer: a cache before `upstream` with kept connections and its files in `directory`.

    With `cache` the files are in that directory instead. With `open_files` nginx also keeps that many descriptors of
    cached files open. A good operator sets this, but it is not the default. With `identity`, a certificate, the cache
    also speaks HTTPS, at its `tls_url`, with HTTP/2 for clients that offer it.
    """
    address = upstream.split("//")[1]
    cached_descriptors = f"open_file_cache max={open_files};" if open_files else ""
    port = free_port()
    proxy = Nginx(
        directory, core=core, keepalive_requests=keepalive_requests,
        http=f"""
    {cached_descriptors}
    proxy_cache_path {cache or directory / 'cache'} levels=1:2 keys_zone=tiles:64m max_size=16g inactive=1d use_temp_path=off;
    upstream origin {{ server {address}; keepalive 64; keepalive_requests 1000000; }}""",
        server=_https(port, identity, "ssl http2") + """
        location / {
            proxy_pass http://origin;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_cache tiles;
            proxy_cache_valid 200 1d;
            add_header X-Cache $upstream_cache_status;
        }""")
    proxy.tls_url = f"https://127.0.0.1:{port}"
    return proxy


def _https(port, identity, protocols="ssl"):
    """Returns the lines of a server that also speaks HTTPS, with the tickets and ciphers that nginx has by default."""
    return identity and f"""
        listen 127.0.0.1:{port} {protocols} backlog=4096;
        ssl_certificate {identity.file};
        ssl_certificate_key {identity.key};
        ssl_protocols TLSv1.2 TLSv1.3;""" or ""


def tls_proxy(directory, upstream, prefix):
    """A proxy with TLS in front of `upstream`, with the paths below `prefix`, at its `tls_url`. It has its own
    certificate."""
    port = free_port()
    proxy = Nginx(directory, server=_https(port, certificate.make(directory)) + f"""
        location {prefix} {{
            proxy_pass {upstream}/;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_set_header Host $http_host;
            proxy_set_header X-Forwarded-Host $http_host;
            proxy_set_header X-Forwarded-Proto $scheme;
            proxy_set_header X-Forwarded-Prefix {prefix.rstrip("/")};
            # Events come one by one, and perhaps none for an hour.
            proxy_buffering off;
            proxy_read_timeout 1h;
        }}""")
    proxy.tls_url = f"https://localhost:{port}{prefix}"
    return proxy
