"""Runs the load generator h2load of nghttp2 and reads its results."""
import math
import re
import subprocess
import sys
import time

from .wrk import Load

# Requests at once on each connection.
STREAMS = 64


def load(url, paths, directory, connections=8, seconds=5, core=None):
    """Requests the paths in turn over HTTP/2 from one thread. `url` begins with https."""
    targets, log = directory / "targets", directory / "latencies"
    targets.write_text("".join(f"{url}{path}\n" for path in paths))
    # h2load appends to an old log.
    log.unlink(missing_ok=True)
    command = ["h2load", f"--clients={connections}", f"--max-concurrent-streams={STREAMS}", "--threads=1",
               f"--duration={seconds}", f"--input-file={targets}", f"--log-file={log}"]
    if core is not None:
        command = ["taskset", "--cpu-list", str(core), *command]
    began = time.monotonic()
    ran = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    taken = time.monotonic() - began
    if "Application protocol: h2\n" not in ran.stdout:
        sys.exit(f"h2load did not speak HTTP/2: {ran.stdout}{ran.stderr}")
    counts = counted(ran.stdout)
    # The rows of the log are (microseconds since 1970, status, microseconds of the request).
    latencies = sorted(int(row.split(b"\t")[2]) for row in log.read_bytes().splitlines())
    return Load(
        requests=counts["done"], bytes=counts["bytes"], microseconds=round(taken * 1e6), p50=at(latencies, 0.50),
        p99=at(latencies, 0.99), unwell=counts["other"], broken=counts["errored"] + counts["timeout"])


def at(latencies, share):
    """Returns the least latency that `share` of the requests do not exceed."""
    return latencies[math.ceil(share * len(latencies)) - 1]


def counted(text):
    """Returns the numbers of h2load's report."""
    found = re.search(
        r"requests: (\d+) total, \d+ started, (\d+) done, (\d+) succeeded, (\d+) failed, (\d+) errored, (\d+) timeout\n"
        r"status codes: (\d+) 2xx, (\d+) 3xx, (\d+) 4xx, (\d+) 5xx\ntraffic: \S+ \((\d+)\) total", text)
    assert found, f"h2load did not end well: {text}"
    names = ("total", "done", "succeeded", "failed", "errored", "timeout", "ok", "moved", "client", "server", "bytes")
    counts = dict(zip(names, map(int, found.groups()), strict=True))
    return {**counts, "other": counts["moved"] + counts["client"] + counts["server"]}
