"""The summary of the suite's results."""
import json

from .applies import CLASSES, EXPECTED, left_out


def passes(id, tests, results):
    """Reports whether a test counts as passed. All tests that it builds on must pass too, like in the suite's own
    tables."""
    return results.get(id) is True and all(passes(other, tests, results) for other in tests[id]["depends"])


def report(tests, others):
    """Prints the numbers, the failed tests and the tests that do not apply. Returns whether all tests pass that should.

    `others` is {cache: {id: result}}, from the suite's own records.
    """
    known = {test["id"]: test for test in tests}
    results = {test["id"]: test["result"] for test in tests}
    judged = [test for test in tests if test["kind"] != "check" and not test["browser"]]
    sound = True
    for kind in ("required", "optimal"):
        ids = [test["id"] for test in judged if test["kind"] == kind and not left_out(test)]
        failed = [id for id in ids if not passes(id, known, results)]
        beside = ", ".join(f"{name} {sum(passes(id, known, of) for id in ids)}" for name, of in others.items())
        print(f"{kind}: {len(ids) - len(failed)} of {len(ids)} ({beside})")
        for id in failed:
            print(f"  {id}: {known[id]['name']}\n    {reason(id, known, results)}")
        sound = sound and set(failed) <= set(EXPECTED)
    for name, (why, _) in CLASSES.items():
        ids = [test["id"] for test in judged if left_out(test) == name]
        print(f"\nnot for a tile server, {len(ids)} about {name}: {why}")
        print("  " + " ".join(id + ("+" if passes(id, known, results) else "") for id in ids))
    questions = sum(test["kind"] == "check" for test in tests)
    browsers = sum(test["browser"] for test in tests)
    print("\n+ passes all the same")
    print(f"not counted: {questions} questions without a right answer, {browsers} tests for browsers")
    return sound


def reason(id, tests, results):
    """Returns in a line why a test has failed."""
    result = results.get(id)
    if result is True:
        return "builds on " + ", ".join(other for other in tests[id]["depends"] if not passes(other, tests, results))
    seen = ": ".join(result) if result else "did not run"
    return f"{seen}; expected: {EXPECTED[id]}" if id in EXPECTED else seen


def on_record(suite):
    """Returns {cache: {id: result}} of the proxies whose results the suite contains."""
    names = ("varnish", "nginx", "squid")
    return {name: json.loads((suite / f"results/{name}.json").read_text()) for name in names}
