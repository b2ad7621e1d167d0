"""Sends SIGHUP soon after the exec of the server, again and again, and counts how many of them ended the server.

Before the program's first code runs, the kernel maps the program, and ld.so(8) maps its libraries. During this time a
signal ends the process.
"""
import re
import select
import signal
import subprocess
import time

from support.machine import say, scratch_directory

CONFIGURATION = "server: {{ port: 0 }}\ncache: {{ directory: {directory} }}\nlayers: {{ grid: {{ generator: grid }} }}\n"


def arguments(parser):
    parser.add_argument("--starts", type=int, default=40, help="starts for each delay (default: 40)")
    parser.add_argument(
        "--delays", type=int, nargs="+", default=[0, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000],
        help="microseconds between exec and the signal")


def run(options):
    broken = 0
    # nohup makes its programs, and their children, ignore SIGHUP.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    with scratch_directory() as directory:
        configuration = directory / "tileserver.yaml"
        configuration.write_text(CONFIGURATION.format(directory=directory))
        command = [options.program, "serve", "--config", configuration]
        ready = sorted(start(command, None) for _ in range(options.starts))
        say(f"blocked {ready[len(ready) // 2] * 1e3:.1f} ms after exec, at most {ready[-1] * 1e3:.1f} ms")
        for delay in options.delays:
            ended = sum(start(command, delay) == "ended" for _ in range(options.starts))
            print(f"SIGHUP {delay:6} µs after exec: {ended} of {options.starts} ended")
        for _ in range(options.starts):
            broken += start(command, "blocked") == "ended"
    print(f"SIGHUP once the program runs: {broken} of {options.starts} ended (bar 0)")
    return 1 if broken else 0


def start(command, delay):
    """Starts the server and sends SIGHUP `delay` µs after exec, or once the signal is blocked. Checks that the server
    then reloads. Without a delay, returns the seconds until the signal is blocked."""
    # Returns after exec.
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    began = time.perf_counter()
    try:
        if delay is None or delay == "blocked":
            while not is_blocked(process.pid):
                if process.poll() is not None:
                    return "ended"
            if delay is None:
                return time.perf_counter() - began
        else:
            while time.perf_counter() < began + delay / 1e6:
                pass
        process.send_signal(signal.SIGHUP)
        if not process.stdout.readline():
            return "ended"
        assert select.select([process.stderr], [], [], 30)[0] and b'"reload"' in process.stderr.readline(), "no reload"
        return "reloaded"
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()


def is_blocked(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        mask = re.search(r"^SigBlk:\t(\w+)$", file.read(), re.MULTILINE)
    return mask is not None and int(mask[1], 16) >> (signal.SIGHUP - 1) & 1 == 1
