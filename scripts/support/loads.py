"""Clients in a separate process with one thread, so that their own cost does not disturb measurements."""
import contextlib
import gc
import json
import os
import subprocess
import sys

from .machine import ROOT

# Priority of the measuring process, above the load's as far as this user may: otherwise the client's wait for a core
# would count.
NICENESS = -10


def ask(module, task, pin=None):
    """Runs `module` in a process. Sends it a task and returns its result, both in JSON. The process calls `pin`
    first."""
    done = subprocess.run(
        [sys.executable, "-m", module], input=json.dumps(task), stdout=subprocess.PIPE, text=True, preexec_fn=pin, cwd=ROOT / "scripts")
    if done.returncode != 0:
        sys.exit(f"{module} failed")
    return json.loads(done.stdout)


def answer(run):
    """Runs in the process: `run(task)` returns the result."""
    task = json.load(sys.stdin)
    with contextlib.suppress(OSError):
        os.nice(NICENESS)
    gc.disable()
    json.dump(run(task), sys.stdout)


class Answer:
    """An HTTP response that arrives in pieces."""

    def __init__(self):
        self.received, self.missing = b"", None

    def is_whole(self, piece):
        """Takes a piece. Returns whether the response is complete."""
        if self.missing is None:
            self.received += piece
            end = self.received.find(b"\r\n\r\n")
            if end < 0:
                return False
            self.head = self.received[:end].lower() + b"\r\n"
            self.missing = int(self.field(b"content-length") or 0) - (len(self.received) - end - 4)
        else:
            self.missing -= len(piece)
        return self.missing <= 0

    @property
    def status(self):
        return int(self.head[9:12])

    def field(self, name):
        return self.head.partition(b"\r\n" + name + b":")[2].partition(b"\r\n")[0].strip()
