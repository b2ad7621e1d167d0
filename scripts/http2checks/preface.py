"""The start of a connection (RFC 9113 3.2 to 3.4)."""
import time

from hyperframe.frame import PingFrame

from .connection import PREFACE, TILE, Connection
from .verdict import SERVED, case, connection_error

REFUSED = connection_error("PROTOCOL_ERROR")


@case("3.2", "ALPN offers http/1.1 first and h2 second", frozenset({"h2"}), greets=False)
def alpn(connection):
    with Connection(connection.server, greets=False, protocols=("http/1.1", "h2")) as other:
        return other.socket.selected_alpn_protocol()


@case("3.4", "the server's first frame is SETTINGS", frozenset({"SETTINGS"}))
def first_settings(connection):
    return "SETTINGS" if connection.server_settings is not None else "nothing"


@case("3.4", "a request before the server's SETTINGS", SERVED, greets=False)
def hasty(connection):
    connection.send(PREFACE, connection.settings(), connection.headers())


@case("3.4", "a preface in single bytes", SERVED, greets=False)
def crumbs(connection):
    for byte in PREFACE + connection.settings().serialize():
        connection.send(bytes((byte,)))
        time.sleep(0.001)
    connection.get()


@case("3.4", "a preface with wrong bytes", REFUSED, greets=False)
def wrong_preface(connection):
    connection.send(b"PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n", connection.settings())


@case("3.4", "a request of HTTP/1.1 instead of the preface", REFUSED, greets=False)
def old_request(connection):
    connection.send(f"GET {TILE} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())


@case("3.4", "a PING instead of the first SETTINGS", REFUSED, greets=False)
def ping_first(connection):
    connection.send(PREFACE, PingFrame(0, b"12345678"))


@case("3.4", "a request instead of the first SETTINGS", REFUSED, greets=False)
def headers_first(connection):
    connection.send(PREFACE, connection.headers())
