"""Effects of a long life on the process."""
import signal

from support.machine import fetch, wait_until
from support.tileserver import TileServer

from .verdict import expect

MIB = 1 << 20


def reloads(program, directory):
    """A configuration that is reloaded again and again, each time with forty other layers."""
    def text(number):
        layers = "".join(
            f'  layer{index}: {{ generator: solid, color: "#{number * 40 + index:06x}" }}\n' for index in range(40))
        return f"cache: {{ memory: 16MiB }}\nlayers:\n{layers}maps:\n  all: {{ layers: [layer0, layer1] }}\n"
    sizes = []
    with TileServer(program, directory, text(0)) as server:
        for number in range(1, 441):
            (directory / "tileserver.yaml").write_text(text(number))
            before = reloads_in(server)
            server.process.send_signal(signal.SIGHUP)
            expect(wait_until(lambda: reloads_in(server) > before, 20, 0.005), f"reload {number} did not happen")
            for index in range(0, 40, 8):
                fetch(f"{server.url}/layer{index}/1/0/0.png")
            fetch(f"{server.url}/all/1/0/0.png")
            if number in (40, 440):
                sizes.append(server.resident_bytes())
    grown = (sizes[1] - sizes[0]) / MIB
    expect(grown < 2.5, f"400 reloads of 40 layers grew the process by {grown:.1f} MiB")
    return f"400 reloads of 40 layers: {grown:+.1f} MiB"


def reloads_in(server):
    return server.log.read_bytes().count(b'"reload"')


ATTACKS = [reloads]
