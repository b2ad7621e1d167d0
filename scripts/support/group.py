"""A control group with a memory limit (cgroups(7)), version 1 or 2, like a container's. Needs root."""
import contextlib
import os
import pathlib
import signal
import sys
import time

ROOT = pathlib.Path("/sys/fs/cgroup")
# Version 1 has a separate tree for memory. Version 2 has one tree for everything.
ONE = ROOT / "memory"


class Group:
    """A control group whose processes get at most `limit` bytes of memory."""

    def __init__(self, limit):
        self.limit = limit
        self.path = (ONE if ONE.is_dir() else ROOT) / f"tileserver-{os.getpid()}-{time.monotonic_ns()}"

    def __enter__(self):
        try:
            self.path.mkdir()
            if not ONE.is_dir():
                (ROOT / "cgroup.subtree_control").write_text("+memory")
            self._file("memory.limit_in_bytes", "memory.max").write_text(str(self.limit))
        except OSError as error:
            with contextlib.suppress(OSError):
                self.path.rmdir()
            sys.exit(f"a control group with a limit of memory cannot be made ({error}); run this as root")
        return self

    def __exit__(self, *_):
        # A process leaves its group some time after its end.
        for _ in range(100):
            with contextlib.suppress(OSError):
                self.path.rmdir()
                return
            for pid in self._pids():
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.05)
        print(f"{self.path} is left over", file=sys.stderr)

    def enter(self):
        """Moves the calling process into the group. A child calls this between fork and exec."""
        (self.path / "cgroup.procs").write_text(str(os.getpid()))

    def anon_bytes(self):
        """Returns the bytes of the group's memory that belong to no file. Only its processes can free them."""
        name = "rss" if ONE.is_dir() else "anon"
        for line in (self.path / "memory.stat").read_text().splitlines():
            if line.split()[0] == name:
                return int(line.split()[1])
        raise ValueError(f"memory.stat has no {name}")

    def _file(self, one, two):
        return self.path / (one if ONE.is_dir() else two)

    def _pids(self):
        with contextlib.suppress(OSError):
            return [int(pid) for pid in (self.path / "cgroup.procs").read_text().split()]
        return []
