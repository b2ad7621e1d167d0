"""Clients in one process of their own, which sends and reads in one thread: what is measured is the server."""
import contextlib
import gc
import json
import os
import subprocess
import sys

from .machine import ROOT

# Above the load's, as far as this user may: what is measured is the server, not the client's turn at a core.
NICENESS = -10


def ask(module, task, pin=None):
    """What `module` answers to a task, both JSON. `pin`: what is called in the process before it begins."""
    done = subprocess.run(
        [sys.executable, "-m", module], input=json.dumps(task), stdout=subprocess.PIPE, text=True, preexec_fn=pin, cwd=ROOT / "scripts")
    if done.returncode != 0:
        sys.exit(f"{module} failed")
    return json.loads(done.stdout)


def answer(run):
    """In the process: `run(task)` gives the answer."""
    task = json.load(sys.stdin)
    with contextlib.suppress(OSError):
        os.nice(NICENESS)
    gc.disable()
    json.dump(run(task), sys.stdout)


class Answer:
    """An HTTP answer that comes in pieces."""

    def __init__(self):
        self.received, self.missing = b"", None

    def is_whole(self, piece):
        """Whether this piece is the last one."""
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
