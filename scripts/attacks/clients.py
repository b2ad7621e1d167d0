"""What a long life does to the process."""
import signal
import time

from support.machine import fetch
from support.tileserver import TileServer

from .verdict import expect

MIB = 1 << 20


def reloads(program, directory):
    """A configuration that is read again and again, each time with forty other layers."""
    def text(number):
        layers = "".join(
            f'  layer{index}: {{ generator: solid, color: "#{number * 40 + index:06x}" }}\n' for index in range(40))
        return f"cache: {{ memory: 16MiB }}\nlayers:\n{layers}maps:\n  all: {{ layers: [layer0, layer1] }}\n"
    sizes = []
    with TileServer(program, directory, text(0)) as server:
        for number in range(1, 441):
            (directory / "tileserver.yaml").write_text(text(number))
            before = (directory / "tileserver.log").read_bytes().count(b'"reload"')
            server.process.send_signal(signal.SIGHUP)
            began = time.monotonic()
            while (directory / "tileserver.log").read_bytes().count(b'"reload"') == before:
                expect(time.monotonic() - began < 20, f"reload {number} did not happen")
                time.sleep(0.005)
            for index in range(0, 40, 8):
                fetch(f"{server.url}/layer{index}/1/0/0.png")
            fetch(f"{server.url}/all/1/0/0.png")
            if number in (40, 440):
                sizes.append(server.resident_bytes())
    grown = (sizes[1] - sizes[0]) / MIB
    expect(grown < 2.5, f"400 reloads of 40 layers grew the process by {grown:.1f} MiB")
    return f"400 reloads of 40 layers: {grown:+.1f} MiB"


ATTACKS = [reloads]
