"""Runs the load generator wrk and reads its results."""
import dataclasses
import json
import pathlib
import subprocess
import sys

# For scripts that end a run early. wrk's own thread:stop() ends the thread, but the program keeps sleeping.
STOP = """
local ffi = require("ffi")
ffi.cdef("int getpid(void); int kill(int pid, int signal);")

local function stop()
    local SIGINT = 2
    ffi.C.kill(ffi.C.getpid(), SIGINT)
end
"""

# For scripts that request tiles in turn. Arguments: the number of tiles, and a path in which ROW is the number of a
# tile. The requests are made only once. wrk's own work is not measured, but it uses the same machine.
ROWS = """
local requests, number = {}, 0

function init(arguments)
    for index = 0, tonumber(arguments[1]) - 1 do
        requests[index + 1] = wrk.format("GET", (arguments[2]:gsub("ROW", index)))
    end
end

function request()
    number = number % #requests + 1
    return requests[number]
end
"""

# Each request is for another tile. Arguments: a path with placeholders for column and row, the number of columns, the
# step from one to the next, the number of the first tile, and the number of requests after which the run ends (0:
# never).
NUMBERED = STOP + """
local path, columns, step, number, last

function init(arguments)
    path, columns, step, number = arguments[1], tonumber(arguments[2]), tonumber(arguments[3]), tonumber(arguments[4])
    last = number + tonumber(arguments[5])
end

function request()
    number = number + 1
    if number == last then stop() end
    return wrk.format("GET", string.format(path, number % columns * step, math.floor(number / columns)))
end
"""

REPORT = """
function done(summary, latency, requests)
    local errors = summary.errors
    io.write(string.format(
        '\\nREPORT {"requests": %d, "bytes": %d, "microseconds": %d, "p50": %d, "p99": %d, ' ..
        '"unwell": %d, "broken": %d}\\n',
        summary.requests, summary.bytes, summary.duration, latency:percentile(50), latency:percentile(99),
        errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
"""


@dataclasses.dataclass
class Load:
    """The requests and results of a run. Latencies are in microseconds."""
    requests: int
    bytes: int
    microseconds: int
    p50: int
    p99: int
    # Number of responses with a status of 400 or more.
    unwell: int
    # Number of connections that failed or took too long.
    broken: int

    @property
    def per_second(self):
        return self.requests / (self.microseconds / 1e6)


def load(url, directory, script="", connections=64, seconds=5, core=None, arguments=()):
    """Requests `url` from one thread. `script` may add Lua functions for wrk, such as `request`."""
    path = pathlib.Path(directory) / "load.lua"
    path.write_text(script + REPORT)
    command = ["wrk", "--threads=1", f"--connections={connections}", f"--duration={seconds}s", "--timeout=10s",
               f"--script={path}", url, "--", *map(str, arguments)]
    if core is not None:
        command = ["taskset", "--cpu-list", str(core), *command]
    ran = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    reports = [line for line in ran.stdout.splitlines() if line.startswith("REPORT ")]
    if not reports:
        sys.exit(f"wrk failed: {ran.stdout}{ran.stderr}")
    return Load(**json.loads(reports[0].removeprefix("REPORT ")))
