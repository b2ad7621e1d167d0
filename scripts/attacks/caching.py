"""Checks of the lifetimes that clients get, beside the lifetimes of the upstream."""
import calendar
import email.utils
import pathlib
import re
import time

from faults.serving import configuration
from support.machine import fetch, need
from support.tileserver import TileServer
from support.upstream import Upstream

from .upstreams import layer
from .verdict import Skipped, expect


def promises(program, directory):
    """Short lifetimes at the upstream, and the time for which the client may keep the tile."""
    words = {"max-age=2": 2, "max-age=1, must-revalidate": 1, "max-age=3, s-maxage=600": 3, "max-age=0": 0}
    seen = []
    for number, (word, most) in enumerate(words.items()):
        with Upstream(headers={"Cache-Control": word}) as upstream:
            with TileServer(program, directory / str(number), layer(upstream.url)) as server:
                for _ in range(3):
                    _, fields, _ = fetch(f"{server.url}/tiles/3/1/1.png")
                    promised = left(fields)
                    expect(promised <= most, f"{word}: the client may keep it for {promised} s")
                    seen.append(promised)
                    time.sleep(0.6)
    return f"never more than the source said, in {len(seen)} answers"


def left(fields):
    """Returns the seconds for which the client may keep a tile with these fields."""
    control = fields.get("Cache-Control", "")
    if "no-store" in control or "no-cache" in control:
        return 0
    match = re.search(r"max-age=(\d+)", control)
    return max(int(match[1]) - int(fields.get("Age", 0)), 0) if match else 0


def must_revalidate(program, directory):
    """A tile that must be revalidated after a second, while its upstream is down."""
    with Upstream(headers={"Cache-Control": "max-age=1, must-revalidate"}) as upstream:
        with TileServer(program, directory, layer(upstream.url)) as server:
            code, _, old = fetch(f"{server.url}/tiles/3/1/1.png")
            expect(code == 200, f"{code} at first")
            upstream.version = 2
            time.sleep(2.2)
            code, fields, new = fetch(f"{server.url}/tiles/3/1/1.png")
            expect(code == 200 and new != old, f"the old tile came after its life: {fields['Cache-Status']}")
            time.sleep(2.2)
            upstream.mode = "error"
            code, fields, _ = fetch(f"{server.url}/tiles/3/1/1.png")
            expect(code in (502, 503, 504), f"a tile that must be asked about was served all the same ({code})")
    return "asked about after its life; 502 where it cannot be"


def origin_date(program, directory):
    """The Date of a cache hit."""
    then = time.time() - 100
    with DatedUpstream(then) as upstream, TileServer(program, directory, layer(upstream.url)) as server:
        fetch(f"{server.url}/tiles/3/1/1.png")
        time.sleep(1.1)
        _, fields, _ = fetch(f"{server.url}/tiles/3/1/1.png")
    date = calendar.timegm(email.utils.parsedate(fields["Date"]))
    expect("hit" in fields["Cache-Status"], f"no hit: {fields['Cache-Status']}")
    expect(abs(date - then) <= 1, f"Date is {date - then:.0f} s from the origin's")
    expect(abs(int(fields["Age"]) - (time.time() - then)) <= 2, f"Age is {fields['Age']}")
    return f"the origin's Date, and Age {fields['Age']}"


def clock_jump(program, directory):
    """A clock that jumps two days ahead and four days back, while tiles are on disk."""
    need(faketime="faketime")
    libraries = sorted(pathlib.Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
    if not libraries:
        raise Skipped("libfaketime is not installed")
    clock = directory / "clock"
    clock.write_text("+0\n")
    wrapper = directory / "program"
    # Preloading the library changes the environment, and then Swift does not find its arguments. So `env` runs twice.
    wrapper.write_text(f'#!/bin/sh\nexec env LD_PRELOAD={libraries[0]} env {program} "$@"\n')
    wrapper.chmod(0o755)
    variables = {"FAKETIME_TIMESTAMP_FILE": clock, "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    ages = []
    with Upstream(headers={"Cache-Control": "max-age=3600"}) as upstream:
        text = configuration(upstream.url, directory / "tiles.sqlite", memory="0")
        began = time.monotonic()
        with TileServer(wrapper, directory, text, variables=variables) as server:
            for offset in ("+0", "+0", "+2d", "+2d", "-2d", "+0"):
                clock.write_text(f"{offset}\n")
                # Wait until the tile is on disk, and the server has compared the clocks.
                time.sleep(1.3)
                code, fields, _ = fetch(f"{server.url}/tiles/3/1/1.png")
                expect(code == 200, f"{offset}: {code}")
                ages.append(int(fields.get("Age", 0)))
                passed = time.monotonic() - began
                expect(ages[-1] <= passed + 1, f"{offset}: Age is {ages[-1]} after {passed:.0f} s")
        expect(upstream.requests == 1, f"the upstream was asked {upstream.requests} times for a tile with an hour to live")
    return f"Age {', '.join(map(str, ages))}; the upstream was asked once"


class DatedUpstream(Upstream):
    """An upstream that sends its own Date."""

    def __init__(self, date):
        super().__init__(headers={"Cache-Control": "max-age=3600"})
        self.date = date

    def answer(self, handler):
        handler.date_time_string = lambda timestamp=None: email.utils.formatdate(self.date, usegmt=True)
        super().answer(handler)


ATTACKS = [promises, must_revalidate, origin_date, clock_jump]
