"""Tests of the watch over `swift test`, with the tests' own lines and clock, and with real processes."""
import contextlib
import io
import json
import pathlib
import subprocess
import sys
import textwrap
import time
import unittest

SUPPORT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(SUPPORT))
import testwatch


KEEPS, LAST = "CacheTests.DiskTests/keeps()/DiskTests.swift:9:6", "CacheTests.DiskTests/last()/DiskTests.swift:19:6"


def record(of, **payload):
    return json.dumps({"kind": of, "payload": payload, "version": 0})


def event(kind, name):
    return record("event", kind=kind, testID=name, messages=[])


DISCOVERED = [record("test", kind="suite", id="CacheTests.DiskTests"),
              *(record("test", kind="function", id=name) for name in (KEEPS, LAST))]


class WatchTests(unittest.TestCase):
    def watch(self, *events, patience=1):
        """Returns a watch that has seen `events`, each (seconds, kind, test)."""
        watch = testwatch.Watch(patience)
        for line in [*DISCOVERED, record("event", kind="runStarted", messages=[])]:
            watch.take(line, 0)
        for seconds, kind, name in events:
            watch.take(event(kind, name), seconds)
        return watch

    def test_says_nothing_before_the_first_test(self):
        self.assertIsNone(self.watch().complaint(100_000))

    def test_names_a_test_that_takes_longer_than_a_minute(self):
        watch = self.watch((0, "testStarted", "CacheTests.DiskTests"), (5, "testStarted", KEEPS))
        self.assertIsNone(watch.complaint(65))
        self.assertIn(f"{KEEPS} has run for 61 s", watch.complaint(66))

    def test_has_patience(self):
        watch = self.watch((0, "testStarted", KEEPS), patience=6)
        self.assertIsNone(watch.complaint(360))
        self.assertIn(KEEPS, watch.complaint(361))

    def test_forgets_tests_that_have_ended(self):
        for end in ("testEnded", "testSkipped"):
            watch = self.watch((0, "testStarted", KEEPS), (1, end, KEEPS))
            self.assertIsNone(watch.complaint(1_000), end)

    def test_lets_a_suite_take_longer(self):
        self.assertIsNone(self.watch((0, "testStarted", "CacheTests.DiskTests")).complaint(1_000))

    def test_takes_no_case_and_no_issue_for_an_end(self):
        watch = self.watch((0, "testStarted", KEEPS), (1, "testCaseEnded", KEEPS), (2, "issueRecorded", KEEPS))
        self.assertIn(KEEPS, watch.complaint(61))

    def test_ends_the_whole_after_half_an_hour(self):
        watch = self.watch((0, "testStarted", KEEPS), (1, "testEnded", KEEPS), (1_790, "testStarted", LAST))
        self.assertIsNone(watch.complaint(1_800))
        self.assertIn(f"{LAST} is running", watch.complaint(1_801))

    def run_program(self, text, **limits):
        """Returns the status, the output and the seconds of a run of a Python program."""
        began = time.monotonic()
        # The last line is incomplete, because its second half is not written yet.
        events = "\n".join([*DISCOVERED, event("testStarted", KEEPS), '{"ki'])
        command = [sys.executable, "-u", "-c", f"EVENTS = {events!r}\n{textwrap.dedent(text)}"]
        with contextlib.redirect_stdout(io.StringIO()) as output, contextlib.redirect_stderr(output):
            status = testwatch.run(command, testwatch.Watch(1, **limits))
        return status, output.getvalue(), time.monotonic() - began

    def test_kills_a_test_that_hangs_and_what_it_started(self):
        status, output, seconds = self.run_program("""
            import subprocess, sys, time
            child = subprocess.Popen(["sleep", "600"], start_new_session=True)
            print("child", child.pid)
            with open(sys.argv[sys.argv.index("--event-stream-output-path") + 1], "w") as events:
                events.write(EVENTS)
            time.sleep(600)
            """, test_seconds=0.5)
        self.assertEqual(status, 1)
        self.assertIn(f"{KEEPS} has run for", output)
        self.assertLess(seconds, 30)
        child = int(output.split()[1])
        for _ in range(100):
            state = subprocess.run(["ps", "-o", "stat=", "-p", str(child)], capture_output=True, text=True).stdout.strip()
            if not state or state.startswith("Z"):
                return
            time.sleep(0.05)
        self.fail(f"process {child} still runs: {state}")

    def test_passes_the_status_on_and_repeats_failures(self):
        status, output, _ = self.run_program("""
            print("✘ Test keeps() recorded an issue")
            print("much else")
            raise SystemExit(3)
            """)
        self.assertEqual(status, 3)
        self.assertEqual(output.count("recorded an issue"), 2)

    def test_refuses_a_patience_that_is_no_number(self):
        for text in ("much", "0", "-1", "nan", "inf"):
            ended = subprocess.run(
                [sys.executable, SUPPORT / "testwatch.py", "true"], env={"TILESERVER_TEST_PATIENCE": text},
                capture_output=True, text=True)
            self.assertEqual(ended.returncode, 1, text)
            self.assertIn("TILESERVER_TEST_PATIENCE", ended.stderr)


if __name__ == "__main__":
    unittest.main()
