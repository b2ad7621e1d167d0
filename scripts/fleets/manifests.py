"""Checks deploy/fleet: each file with the tool that reads it, and values that must agree between files."""
import os
import re
import subprocess
import sys

from support.machine import ROOT, need, scratch_directory


DEPLOY = ROOT / "deploy/fleet"
SECRETS = {
    "TILESERVER_ADMIN_TOKEN": "a-token-for-one-run-only", "TILESERVER_FLEET_SECRET": "a-secret-for-one-run-only-0123456",
    "REDIS_PASSWORD": "password", "HOSTNAME": "tileserver-0"}


def run(options, figures):
    need(haproxy="haproxy", promtool="prometheus", pip3="python3-pip", **{"docker-compose": "docker-compose"})
    with scratch_directory() as directory:
        environment = packages(directory, "kubernetes-validate", "PyYAML")
        manifests = sorted((DEPLOY / "kubernetes").glob("*.yaml"))
        judged(figures, "Kubernetes manifests, strictly", sys.executable, directory / "packages/bin/kubernetes-validate",
               "--strict", *manifests, environment=environment)
        judged(figures, "compose.fleet.yaml", "docker-compose", "-f", DEPLOY / "compose.fleet.yaml", "config", "--quiet",
               environment=SECRETS)
        maps = config_maps(manifests)
        places = {"compose": (DEPLOY / "haproxy.cfg").read_text(), "Kubernetes": maps["haproxy.cfg"]}
        for place, text in places.items():
            path = directory / f"haproxy-{place}.cfg"
            path.write_text(text)
            judged(figures, f"HAProxy, {place}", "haproxy", "-c", "-f", path)
        places = {"compose": (DEPLOY / "tileserver.yaml").read_text(), "Kubernetes": maps["tileserver.yaml"]}
        for place, text in places.items():
            path = directory / f"tileserver-{place}.yaml"
            path.write_text(text.replace("/var/lib/tileserver", str(directory)))
            judged(figures, f"tileserver check, {place}", options.program, "check", path, environment=SECRETS)
        (directory / "rules.yaml").write_text((ROOT / "deploy/prometheus/rules.yaml").read_text())
        (directory / "prometheus.yaml").write_text((DEPLOY / "prometheus.yaml").read_text())
        judged(figures, "Prometheus", "promtool", "check", "config", directory / "prometheus.yaml")
        agreements(figures, maps)


def packages(directory, *names):
    """Yields an environment in which Python has packages of PyPI."""
    target = directory / "packages"
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--root-user-action=ignore",
         "--target", target, *names], check=True, stdin=subprocess.DEVNULL)
    sys.path.insert(0, str(target))
    return {"PYTHONPATH": str(target)}


def judged(figures, what, *command, environment=None):
    done = subprocess.run(
        list(map(str, command)), env={**os.environ, **(environment or {})}, stdin=subprocess.DEVNULL, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    figures.holds(done.returncode == 0, what, "" if done.returncode == 0 else done.stdout.strip())


def config_maps(manifests):
    """Returns the files in all ConfigMaps, by name."""
    import yaml
    documents = [document for path in manifests for document in yaml.safe_load_all(path.read_text())]
    return {
        name: text for document in documents if document["kind"] == "ConfigMap" for name, text in document["data"].items()}


def agreements(figures, maps):
    """Checks that repeated values are equal, and that times are long enough for other times."""
    balancer = settings((DEPLOY / "haproxy.cfg").read_text(), " server ")
    figures.holds(balancer == settings(maps["haproxy.cfg"], " server "), "both HAProxy files agree, but for the nodes' names")
    redis = settings((DEPLOY / "redis.conf").read_text())
    figures.holds(redis == settings(maps["redis.conf"]), "both Redis files agree")
    for place, text in {"compose": (DEPLOY / "tileserver.yaml").read_text(), "Kubernetes": maps["tileserver.yaml"]}.items():
        delay = int(re.search(r"drainDelay: (\d+)s", text)[1])
        text = (DEPLOY / "haproxy.cfg").read_text()
        unseen = int(re.search(r"check inter (\d+)s", text)[1]) + int(re.search(r"timeout check (\d+)s", text)[1])
        figures.holds(delay > unseen, f"{place}: drainDelay {delay} s is longer than HAProxy sends to a node that goes, {unseen} s")
    graces = {
        "compose": r"stop_grace_period: (\d+)s", "kubernetes/tileserver": r"terminationGracePeriodSeconds: (\d+)"}
    for name, pattern in graces.items():
        path = DEPLOY / (f"{name}.fleet.yaml" if name == "compose" else f"{name}.yaml")
        grace = int(re.search(pattern, path.read_text())[1])
        # limits.drain is 10 s by default.
        figures.holds(grace > delay + 10, f"{name}: {grace} s until a node is killed are more than {delay} s and 10 s of drain")
    manifest = (DEPLOY / "kubernetes/tileserver.yaml").read_text()
    figures.holds("enableServiceLinks: false" in manifest, "no variable TILESERVER_PORT from a Service of that name")


def settings(text, *left_out):
    """Returns the lines other than comments."""
    lines = (line.rstrip() for line in text.splitlines() if line.strip() and not line.strip().startswith("#"))
    return [line for line in lines if not any(word in line for word in left_out)]
