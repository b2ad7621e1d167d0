"""Runs `swift test` and ends it if a test does not end: `testwatch.py swift test FLAG …`.

A test may take a minute, and all tests together half an hour. TILESERVER_TEST_PATIENCE (1 if it is not set; more on a
machine with other work) multiplies both. The time of all tests begins with the first test, after the build. A test that
takes longer is named at once, and the command is killed with all its descendants. The status is the command's, or 1 if
a limit was passed.

Events come from a file that the tests write (`--event-stream-output-path`): the text that `swift test` prints is late
by a block.
"""
import json
import os
import queue
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

import processtree

TEST_SECONDS, RUN_SECONDS = 60, 1800
# Maximum lines at the end, because a page of CI shows only the last lines.
FAILED = re.compile("✘|recorded an issue|Fatal error")


class Watch:
    """The running tests, from the records of the event stream. Times are seconds of any clock."""

    def __init__(self, patience, test_seconds=TEST_SECONDS, run_seconds=RUN_SECONDS):
        self.test_limit, self.run_limit = test_seconds * patience, run_seconds * patience
        self.began = None
        self.functions, self.running = set(), {}
        self.slowest = (0, "")

    def take(self, line, now):
        """Takes a line of the stream."""
        record = json.loads(line)
        payload = record["payload"]
        if record["kind"] == "test" and payload["kind"] == "function":
            self.functions.add(payload["id"])
        name = payload.get("testID")
        if record["kind"] != "event" or name not in self.functions:
            return
        if payload["kind"] == "testStarted":
            self.began = now if self.began is None else self.began
            self.running[name] = now
        elif payload["kind"] in ("testEnded", "testSkipped") and name in self.running:
            self.slowest = max(self.slowest, (now - self.running.pop(name), name))

    def complaint(self, now):
        """Returns one line that describes an exceeded limit, or None if everything is in time."""
        for name, began in self.running.items():
            if now - began > self.test_limit:
                return f"{name} has run for {now - began:.0f} s, and a test may take {self.test_limit:g} s"
        if self.began is not None and now - self.began > self.run_limit:
            running = ", ".join(self.running) or "no test"
            return f"the tests have run for {now - self.began:.0f} s, and may take {self.run_limit:g} s; {running} is running"
        return None


class Events:
    """Yields the complete lines of the event stream."""

    def __init__(self, path):
        self.file, self.rest = open(path, "rb"), b""

    def lines(self):
        *whole, self.rest = (self.rest + self.file.read()).split(b"\n")
        return [line for line in whole if line.strip()]


def patience():
    text = os.environ.get("TILESERVER_TEST_PATIENCE", "1")
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0 < value < 1e6:
        sys.exit(f"TILESERVER_TEST_PATIENCE is {text!r}: expected a number above 0, such as 6")
    return value


def run(command, watch):
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "events")
        open(path, "wb").close()
        events = Events(path)
        try:
            return follow([*command, "--event-stream-output-path", path, "--event-stream-version", "0"], events, watch)
        finally:
            events.file.close()


def follow(command, events, watch):
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    lines = queue.Queue()

    def read():
        for line in process.stdout:
            lines.put(line)
        process.stdout.close()
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    failures, complaint, ended = [], None, None
    try:
        while not complaint:
            try:
                line = lines.get(timeout=0.2)
            except queue.Empty:
                line = ""
                # A process that outlives the command may keep its output open.
                if process.poll() is not None:
                    ended = ended or time.monotonic()
                    if time.monotonic() - ended > 2:
                        break
            if line is None:
                break
            sys.stdout.write(line)
            sys.stdout.flush()
            if FAILED.search(line):
                failures.append(line)
            for event in events.lines():
                watch.take(event, time.monotonic())
            complaint = watch.complaint(time.monotonic())
    finally:
        if complaint or sys.exc_info()[0]:
            processtree.kill(process)
    status = process.wait()
    for event in events.lines():
        watch.take(event, time.monotonic())
    # Print failures again, because a page of CI shows only the last lines.
    sys.stdout.writelines(failures)
    if watch.slowest[1]:
        print(f"the test that took longest: {watch.slowest[1]}, {watch.slowest[0]:.1f} s", flush=True)
    if complaint:
        print(f"{complaint}; TILESERVER_TEST_PATIENCE multiplies this limit", file=sys.stderr, flush=True)
        return 1
    return status if status >= 0 else 128 - status


def main():
    def leave(number, _):
        sys.exit(128 + number)

    signal.signal(signal.SIGTERM, leave)
    signal.signal(signal.SIGINT, leave)
    sys.exit(run(sys.argv[1:], Watch(patience())))


if __name__ == "__main__":
    main()
