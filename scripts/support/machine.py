"""Programs that the scripts start, their cost and their cores; threads beside a script; and waits."""
import concurrent.futures
import contextlib
import os
import pathlib
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


def say(text):
    print(text, file=sys.stderr, flush=True)


def need(**packages):
    """Installs the Debian packages of missing commands: need(wrk="wrk")."""
    os.environ["PATH"] += ":/usr/local/sbin:/usr/sbin:/sbin"
    _library("need_commands", *(f"{command}:{package}" for command, package in packages.items()))


def install(*packages):
    """Installs Debian packages."""
    _library("install_packages", *packages)


def _library(*words):
    """Calls a function of scripts/lib.sh."""
    if subprocess.run(["bash", "-euc", '. "$0"; "$@"', ROOT / "scripts/lib.sh", *words]).returncode != 0:
        sys.exit(1)


def two_cores():
    """Returns a core for the measured program and a core for its load."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        sys.exit("two cores are needed: one for the server, one for the load")
    return cores[0], cores[1]


def allow_descriptors(count):
    """Raises the limit of descriptors to `count`, or as far as this user may, for this process and its children."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count if hard == resource.RLIM_INFINITY else min(count, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def scratch_directory(parent="/dev/shm" if os.access("/dev/shm", os.W_OK) else None):
    """A directory below `parent`, in memory if possible, which is removed at the end."""
    path = pathlib.Path(tempfile.mkdtemp(prefix="tileserver-", dir=parent))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def fetch(url, method="GET", headers=None, timeout=30, content=None, context=None):
    """Returns (status, headers, body) of any response, also of an error. `content` is the bytes to send. `context` is
    for TLS."""
    request = urllib.request.Request(url, content, headers or {}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=timeout, context=context) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


def wait_until(condition, seconds=30, pause=0.05):
    """Returns the result of `condition()` as soon as it is true, or after so many seconds."""
    end = time.monotonic() + seconds
    while not (found := condition()) and time.monotonic() < end:
        time.sleep(pause)
    return found


def at_once(work, *items):
    """Returns the results of `work` for all items, each in its own thread. Several lists give one item each, as in
    `map`."""
    with concurrent.futures.ThreadPoolExecutor(len(items[0])) as pool:
        return list(pool.map(work, *items))


@contextlib.contextmanager
def beside(work, *arguments, each=None):
    """Runs `work(over, *arguments)` in a thread while the block runs.

    The end of the block sets `over`, an event, and waits for the thread. With `each` there is a thread for each of its
    items, and the item is the last argument.
    """
    over = threading.Event()
    last = [()] if each is None else [(item,) for item in each]
    threads = [threading.Thread(target=work, args=(over, *arguments, *more), daemon=True) for more in last]
    for thread in threads:
        thread.start()
    try:
        yield over
    finally:
        over.set()
        for thread in threads:
            thread.join()


class Program:
    """A server process. It can run on one core and in a control group, is measured, and gets SIGTERM at the end of the
    block."""

    def __init__(self, arguments, url, log, core=None, directory=None, group=None):
        self.arguments = [str(argument) for argument in arguments]
        self.url = url
        self.log = pathlib.Path(log)
        self.core = core
        self.directory = directory
        self.group = group

    def __enter__(self):
        return self.start()

    def start(self):
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                self.arguments, stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=self._place, cwd=self.directory)
        self._wait_until_it_listens()
        return self

    def _place(self):
        """Runs in the child before exec: selects the core and the control group."""
        if self.core is not None:
            os.sched_setaffinity(0, {self.core})
        if self.group is not None:
            self.group.enter()

    def __exit__(self, *_):
        self.stop()

    @property
    def port(self):
        return urllib.parse.urlsplit(self.url).port

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self, patience=20):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=patience)
        except subprocess.TimeoutExpired:
            self.kill()

    def _wait_until_it_listens(self):
        address = urllib.parse.urlsplit(self.url)

        def listens():
            with contextlib.suppress(OSError), socket.create_connection((address.hostname, address.port), 1):
                return True

        if wait_until(lambda: self.process.poll() is not None or listens(), 10) and self.process.poll() is None:
            return
        self.stop()
        sys.exit(f"{self.arguments[0]} does not listen at {self.url}: {self.log.read_text(errors='replace')}")

    def workers(self):
        """Returns the ids of the processes that do the work. Here it is the process itself."""
        return [self.process.pid]

    def cpu_seconds(self):
        """Returns user and system time of all threads of the workers, in steps of a clock tick (proc(5))."""
        ticks = 0
        for pid in self.workers():
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
        return ticks / TICKS_PER_SECOND

    def resident_bytes(self):
        """Returns the workers' memory in RAM (VmRSS)."""
        return self._memory("VmRSS")

    def anon_bytes(self):
        """Returns the workers' memory in RAM that belongs to no file (RssAnon)."""
        return self._memory("RssAnon")

    def _memory(self, name):
        total = 0
        for pid in self.workers():
            for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
                if line.startswith(f"{name}:"):
                    total += int(line.split()[1]) * 1024
        return total


class ProgramGroup(Program):
    """A program that works in child processes. It counts together with all of them."""

    def workers(self):
        found = []
        waiting = [self.process.pid]
        while waiting:
            pid = waiting.pop()
            found.append(pid)
            for children in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
                waiting += [int(child) for child in children.read_text().split()]
        return found
