"""Failures of nodes, and false replies of Redis, for the scenes of `waits`."""
import contextlib
import pathlib
import signal
import subprocess
import time

# Number of tiles that a node fetches when it is killed.
FETCHES = 45
# Seconds of a hang. They are longer than HAProxy needs to exclude a node.
HANG = 6


def nothing_happens(scene):
    """for comparison: the time of the machine and of the clients"""
    scene.wait()


def lies(name, text, **options):
    """Returns an accident with this name. Redis lies with the `options` of `LyingRedis.tell`."""
    def accident(scene):
        scene.lies.tell(**options)
        try:
            scene.wait()
        finally:
            told = scene.lies.tell()
        return told > 0, f"{told:,} answers of Redis"

    accident.__name__, accident.__doc__ = name, text
    return accident


def grant_is_lost(scene):
    """four times a node gets the lock of a new tile but no reply in time, while the others ask for the tile"""
    told = 0
    for number in range(12):
        # A node that has no contact to Redis at the moment asks for no lock.
        told += loses_grant(scene, number % 3)
        if told == 4:
            break
    return told == 4, f"{told} grants lost"


def loses_grant(scene, number):
    """Requests a tile from every node, and loses the reply that grants its lock to a node. Returns 1, the lost grants."""
    path = scene.fresh_paths(1)[0]
    nodes = scene.fleet.nodes[number:] + scene.fleet.nodes[:number]
    scene.lies.tell("late", tile=f":{path.removeprefix('/tiles/').removesuffix('.png')}@", times=1)
    with scene.asking([(nodes[0].url, path)]):
        time.sleep(0.05)
        with scene.asking([(node.url, path) for node in nodes[1:] * 2]):
            pass
    return scene.lies.tell()


def node_is_killed_amid_fetches(scene):
    """SIGKILL of a node that fetches 45 tiles, while clients request them from all other nodes"""
    node, *others = reversed(scene.fleet.nodes)
    paths = scene.fresh_paths(FETCHES)
    with scene.without(node):
        with scene.asking([(node.url, path) for path in paths]):
            time.sleep(scene.source.delay / 2)
            node.kill()
            with scene.asking([(other.url, path) for other in others for path in paths]):
                pass
        scene.wait(0.5)
        scene.starts(node)


def node_hangs(scene):
    """SIGSTOP of a node for six seconds, while it fetches 15 tiles that clients also request from the others"""
    node, *others = scene.fleet.nodes
    paths = scene.fresh_paths(15)
    with scene.without(node):
        with scene.asking([(node.url, path) for path in paths]):
            time.sleep(scene.source.delay / 2)
            node.process.send_signal(signal.SIGSTOP)
            try:
                with scene.asking([(other.url, path) for other in others for path in paths]):
                    time.sleep(HANG)
            finally:
                node.process.send_signal(signal.SIGCONT)
        scene.fleet.balancer.wait_until_up(*scene.fleet.nodes)
        time.sleep(1)


def node_is_slow(scene):
    """a node stands still for 0.15 s of each 0.2 s"""
    process, end = scene.fleet.nodes[0].process, time.monotonic() + scene.seconds
    try:
        while time.monotonic() < end:
            process.send_signal(signal.SIGSTOP)
            time.sleep(0.15)
            process.send_signal(signal.SIGCONT)
            time.sleep(0.05)
    finally:
        process.send_signal(signal.SIGCONT)


def two_nodes_have_one_name(scene):
    """a node starts under the name of another one"""
    with changed(scene, scene.fleet.nodes[1], HOSTNAME=scene.fleet.nodes[0].name):
        scene.wait()


def clock_is_behind(scene):
    """a node's wall clock is ten minutes slow; its other clocks are right"""
    with changed(scene, scene.fleet.nodes[1], **clock(scene, -600)):
        scene.wait()


def clock_is_ahead(scene):
    """a node's wall clock is a year ahead; its other clocks are right"""
    with changed(scene, scene.fleet.nodes[1], **clock(scene, 365 * 86_400)):
        scene.wait()


def clock(scene, seconds):
    """Returns the environment of a process whose wall clock is shifted by `seconds`."""
    source, library = pathlib.Path(__file__).with_name("wall_clock.c"), scene.fleet.redis.place / "wall_clock.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source], check=True)
    return {"LD_PRELOAD": library, "CLOCK_SHIFT": seconds}


@contextlib.contextmanager
def changed(scene, node, **variables):
    """Runs the node with other variables while the block runs."""
    kept = node.variables
    for those in ({**kept, **variables}, kept):
        with scene.without(node):
            node.stop()
            node.variables = those
            scene.starts(node)
        if those is not kept:
            yield


def fleet_is_upgraded(scene):
    """all nodes run the older program one after the other, and the newer one again; a grant is lost at each step"""
    newer = scene.fleet.nodes[0].program
    # From now on HAProxy's responses may come from an older node, which waits longer for a lock.
    scene.outdated.add(scene.fleet.balancer)
    for program in (scene.older, newer):
        for number, node in enumerate(scene.fleet.nodes):
            with scene.without(node):
                node.stop()
                node.program = program
                if program is not newer:
                    scene.outdated.add(node)
                scene.starts(node)
            if program is newer:
                scene.outdated.remove(node)
            loses_grant(scene, number)
    scene.outdated.remove(scene.fleet.balancer)


ANSWERS = [
    lies("answers_are_late", "each answer of Redis takes 0.15 s, longer than fleet.timeout", kind="late"),
    lies("some_answers_are_late", "one answer in ten takes 0.15 s", kind="late", one_in=10),
    lies("answers_are_cut", "one answer in ten ends in the middle, and so does its connection", kind="cut", one_in=10),
    lies("bits_are_flipped", "one answer in ten has a bit that is wrong", kind="flipped", one_in=10),
    lies("answers_are_doubled", "one answer in ten comes twice", kind="doubled", one_in=10),
    lies("answers_are_crossed", "one answer in ten comes behind the next one", kind="crossed", one_in=10),
    lies("redis_says_nothing", "Redis takes commands and connections, and answers none", kind="silent"),
]
NODES = [
    node_is_killed_amid_fetches, node_hangs, node_is_slow, two_nodes_have_one_name, clock_is_behind, clock_is_ahead]
