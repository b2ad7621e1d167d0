"""Requests by h2, a client of PyPI that checks each frame and each field of the server."""
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import DataReceived, ResponseReceived, StreamEnded
from h2.exceptions import ProtocolError

from .connection import LARGE, SECONDS, TILE
from .verdict import case


def statuses(connection, requests):
    """Sends all requests, pairs of method and path, at once. Returns the statuses of the complete responses."""
    client = H2Connection(H2Configuration(header_encoding="utf-8"))
    client.initiate_connection()
    for stream, (method, path) in enumerate(requests):
        client.send_headers(2 * stream + 1, connection.fields(method=method, path=path), end_stream=True)
    found, count = {}, 0
    connection.socket.settimeout(SECONDS)
    while count < len(requests):
        connection.socket.sendall(client.data_to_send())
        piece = connection.socket.recv(1 << 16)
        if not piece:
            break
        for event in client.receive_data(piece):
            if isinstance(event, ResponseReceived):
                found[event.stream_id] = dict(event.headers)[":status"]
            elif isinstance(event, DataReceived):
                client.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            elif isinstance(event, StreamEnded):
                count += 1
    return [found[stream] for stream in sorted(found)][:count]


def sends(text, requests):
    """Makes a case of requests that are all answered with 200."""
    def send(connection):
        try:
            found = statuses(connection, requests)
        except ProtocolError as error:
            return f"{type(error).__name__}: {error}"
        return "all 200" if found == ["200"] * len(requests) else f"{len(found)} responses: {set(found)}"
    case("h2", text, frozenset({"all 200"}), greets=False)(send)


sends("100 tiles at once", [("GET", TILE)] * 100)
sends("six large images, four HEAD and a tile", [("GET", LARGE)] * 6 + [("HEAD", LARGE)] * 4 + [("GET", TILE)])
