"""Clients and proxies that ask the server for tiles over HTTPS."""
import contextlib
import os
import subprocess

from support import gdal, nginx
from support.haproxy import HAProxy
from support.machine import ProgramGroup, fetch, free_port, need

from .verdict import expect

TILE = "/grid/3/2/1.png"


def ask(place, *words, path=TILE, url=None):
    """Runs curl with the server's certificate. Returns (exit status, HTTP status, protocol, bytes)."""
    done = subprocess.run(
        ["curl", "--silent", "--show-error", "--cacert", place.identity.file, "--output", "/dev/null", "--write-out",
         "%{http_code} %{http_version} %{size_download}", *words, (url or place.url) + path],
        capture_output=True, text=True, timeout=60)
    code, version, size = (done.stdout.split() + ["0", "0", "0"])[:3]
    return done.returncode, int(code), version, int(size)


def tile(place):
    status, _, body = fetch(place.server.tls_url + TILE, context=place.identity.client())
    expect(status == 200 and body.startswith(b"\x89PNG"), f"the tile was answered {status}")
    return body


def curl(place):
    """curl with each version of TLS, with a certificate that it does not know, and without TLS."""
    size = len(tile(place))
    for name, words in {"TLS 1.2": ("--tls-max", "1.2"), "TLS 1.3": ("--tlsv1.3",), "any": ()}.items():
        got = ask(place, *words)
        expect(got == (0, 200, got[2], size), f"curl with {name}: {got}, the tile has {size} bytes")
    for version in ("1.0", "1.1"):
        # OpenSSL's own level of security would refuse these protocols already at the client.
        got = ask(place, f"--tlsv{version}", "--tls-max", version, "--ciphers", "DEFAULT@SECLEVEL=0")
        expect(got[0] == 35, f"curl with TLS {version}: status {got[0]}, expected 35, a failed handshake")
    stranger = ask(place, "--cacert", "/etc/ssl/certs/ca-certificates.crt")
    expect(stranger[0] == 60, f"curl that does not know the certificate: status {stranger[0]}, expected 60")
    plain = ask(place, url=f"http://127.0.0.1:{place.port}")
    expect(plain[:2] == (0, 400), f"plain HTTP on the port of HTTPS: {plain}")
    moved = ask(place, url=place.server.url)
    expect(moved[:2] == (0, 308), f"the port of HTTP: {moved}, expected 308")
    return (f"{size} bytes over TLS 1.2 and 1.3; 1.0, 1.1 and a stranger's certificate are refused; "
            "400 and 308 without TLS")


def openssl(place):
    """openssl s_client: a session of TLS 1.3 is resumed, one of TLS 1.2 is not, and early data are not taken."""
    def session(*words):
        done = subprocess.run(
            ["openssl", "s_client", "-connect", f"127.0.0.1:{place.port}", "-servername", "localhost", "-CAfile",
             place.identity.file, "-verify_return_error", "-ign_eof", *words],
            input=f"GET {TILE} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode(), capture_output=True,
            timeout=60)
        return done.stdout
    seen = {}
    for version in ("tls1_2", "tls1_3"):
        file = place.directory / version
        expect(b"HTTP/1.1 200" in session(f"-{version}", "-sess_out", file), f"{version}: no tile")
        # OpenSSL writes no file for a session that cannot be resumed.
        again = session(f"-{version}", *(("-sess_in", file) if file.exists() else ()))
        expect(b"HTTP/1.1 200" in again, f"{version}: no tile with an earlier session")
        seen[version] = b"\nReused, " in again
    expect(seen == {"tls1_2": False, "tls1_3": True}, f"resumed: {seen}")
    early = place.directory / "early"
    early.write_bytes(b"GET /admin HTTP/1.1\r\n\r\n")
    text = session("-tls1_3", "-sess_in", place.directory / "tls1_3", "-early_data", early)
    expect(b"Early data was accepted" not in text, "early data were accepted")
    return "TLS 1.3 is resumed, TLS 1.2 is not; no early data"


def gdal_wms(place):
    """GDAL reads tiles over HTTPS, with the server's certificate and without it."""
    need(gdal_translate="gdal-bin")
    description, picture = place.directory / "layer.xml", place.directory / "picture.tif"
    gdal.describe(description, place.url, "grid", 1, 4)
    results = []
    for certificate in (place.identity.file, "/etc/ssl/certs/ca-certificates.crt"):
        environment = {"PATH": os.environ["PATH"], "GDAL_PAM_ENABLED": "NO", "CURL_CA_BUNDLE": str(certificate)}
        results.append(subprocess.run(
            ["gdal_translate", "-q", "-outsize", "512", "512", description, picture], env=environment,
            capture_output=True).returncode)
    expect(results[0] == 0 and results[1] != 0, f"gdal_translate ended with {results}")
    return "tiles with the certificate, an error without it"


def nginx_proxy(place):
    """nginx with an https:// backend whose certificate it checks, with kept connections and resumed sessions."""
    need(nginx="nginx-light")
    body = tile(place)
    origin = f"upstream origin {{ server 127.0.0.1:{place.port}; keepalive 4; }}"
    with nginx.Nginx(place.directory / "nginx", http=origin, server=f"""
        location / {{
            proxy_pass https://origin;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_ssl_trusted_certificate {place.identity.file};
            proxy_ssl_verify on;
            proxy_ssl_name localhost;
            proxy_ssl_server_name on;
            proxy_ssl_protocols TLSv1.2 TLSv1.3;
        }}""") as proxy:
        return through(proxy, body)


def haproxy(place):
    """HAProxy with a backend over TLS whose certificate it checks, with health checks over TLS."""
    body = tile(place)
    with balancer(place) as proxy:
        return through(proxy, body)


def balancer(place):
    """HAProxy before the server's HTTPS."""
    need(haproxy="haproxy")
    port = free_port()
    text = f"""global
    maxconn 100
defaults
    mode http
    timeout connect 5s
    timeout client 30s
    timeout server 30s
frontend front
    bind 127.0.0.1:{port}
    default_backend tileservers
backend tileservers
    option httpchk GET /health
    server one 127.0.0.1:{place.port} ssl verify required ca-file {place.identity.file} sni str(localhost) """ + \
        "verifyhost localhost check check-sni localhost inter 500ms\n"
    return HAProxy(place.directory / "haproxy", text, port)


def varnish(place):
    """Varnish behind hitch, for clients of HTTP/2. HAProxy makes TLS to the server, which Varnish cannot."""
    need(varnishd="varnish", hitch="hitch")
    body = tile(place)
    outer, inner = free_port(), free_port()
    directory = place.directory
    vcl, pem = directory / "tiles.vcl", directory / "both.pem"
    pem.write_text(place.identity.key.read_text() + place.identity.file.read_text())
    pem.chmod(0o600)
    # hitch does not run as root.
    user = ["--user=nobody"] if os.geteuid() == 0 else []
    with contextlib.ExitStack() as stack:
        origin = stack.enter_context(balancer(place))
        vcl.write_text(f'vcl 4.1;\nbackend default {{ .host = "127.0.0.1"; .port = "{origin.port}"; }}\n')
        stack.enter_context(ProgramGroup(
            ["varnishd", "-F", "-a", f"127.0.0.1:{inner},PROXY", "-T", "none", "-n", directory / "varnish", "-f", vcl,
             "-s", "malloc,64m", "-j", "none", "-p", "feature=+http2"],
            f"http://127.0.0.1:{inner}", directory / "varnish.log"))
        stack.enter_context(ProgramGroup(
            ["hitch", *user, f"--frontend=[127.0.0.1]:{outer}", f"--backend=[127.0.0.1]:{inner}", "--write-proxy-v2=on",
             "--alpn-protos=h2,http/1.1", pem],
            f"http://127.0.0.1:{outer}", directory / "hitch.log"))
        url = f"https://localhost:{outer}"
        got = [ask(place, "--http2", path=f"/grid/3/{x}/1.png", url=url) for x in range(8) for _ in range(6)]
    wrong = [one for one in got if one[:3] != (0, 200, "2")]
    expect(not wrong, f"{len(wrong)} of {len(got)} tiles over HTTP/2 were wrong, as with {wrong[:3]}")
    expect(got[12][3] == len(body), f"the tile has {len(body)} bytes, and {got[12][3]} arrived")
    return f"{len(got)} tiles over HTTP/2, each right"


def through(proxy, body, count=200):
    """Requests the tile through a proxy. Every response must be the tile."""
    answers = [fetch(proxy.url + TILE) for _ in range(count)]
    wrong = [status for status, _, got in answers if status != 200 or got != body]
    expect(not wrong, f"{len(wrong)} of {count} tiles were wrong, as with {wrong[:3]}")
    return f"{count} tiles, each right"


CHECKS = [curl, openssl, gdal_wms, nginx_proxy, haproxy, varnish]
