import Configuration
import EventLog
import Logging
import Synchronization
import TestSupport
import Testing

@testable import MapService

/// Telling a cache in front of clears.
@Suite struct CDNPurgerTests {
    /// A cache that answers as it is told, and a clock that the purger's waits move.
    private final class Cache: Sendable {
        struct State {
            var requests: [CDNPurgeRequest] = []
            var waits: [Double] = []
            var answers: [(CDNPurger.Outcome, Double?)] = []
        }

        let state = Mutex(State())
        /// Called with the number of each request.
        let onRequest = Mutex<(@Sendable (Int) -> Void)?>(nil)

        var requests: [CDNPurgeRequest] { state.withLock { $0.requests } }
        var tags: [[String]] { requests.map { $0.body.split(separator: " ").map(String.init) } }
        var waits: [Double] { state.withLock { $0.waits } }
    }

    private func purger(_ cache: Cache, _ answers: [(CDNPurger.Outcome, Double?)] = []) -> CDNPurger {
        var settings = CDNSettings.Purge()
        (settings.url, settings.body) = ("http://cache/", "{tags}")
        cache.state.withLock { $0.answers = answers }
        let quiet = EventLog(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        return CDNPurger(
            settings, log: quiet, now: { 1_700_000_000 },
            sleep: { seconds in
                cache.state.withLock { $0.waits.append(seconds) }
                await Task.yield()
            },
            send: { request in
                let (count, answer) = cache.state.withLock { state in
                    state.requests.append(request)
                    let answer = state.answers.isEmpty ? (.status(200), nil) : state.answers.removeFirst()
                    return (state.requests.count, answer)
                }
                cache.onRequest.withLock { $0 }?(count)
                return answer
            })
    }

    @Test func tellsOfEachTagOnce() async throws {
        let cache = Cache()
        let purger = purger(cache)
        purger.purge(["osm.1", "osm.2", "osm.1"])
        try await eventually { purger.report.succeeded == 1 }
        #expect(cache.tags == [["osm.1", "osm.2"]])
        purger.purge(["osm.1"])
        try await eventually { purger.report.succeeded == 2 }
        #expect(cache.tags.last == ["osm.1"] && purger.report.waiting == 0 && purger.report.failed == 0)
        #expect(purger.report.last?.outcome == .status(200) && purger.report.last?.tags == 1)
    }

    @Test func sendsAHundredTagsAtATime() async throws {
        let cache = Cache()
        let purger = purger(cache)
        purger.purge((0..<250).map { "osm.\($0)" })
        try await eventually { purger.report.succeeded == 3 }
        #expect(cache.tags.map(\.count) == [100, 100, 50] && Set(cache.tags.joined()).count == 250)
        // And no more bytes than fit into a field.
        let long = String(repeating: "a", count: 60)
        purger.purge((0..<100).map { "\(long).\($0)" })
        try await eventually { purger.report.succeeded == 5 }
        #expect(cache.requests.allSatisfy { $0.body.utf8.count <= 4_000 })
        #expect(Set(cache.tags.joined()).count == 350)
    }

    /// For minutes, with longer and longer waits; nothing is forgotten, and what came meanwhile goes along.
    @Test func triesUntilItSucceeds() async throws {
        let cache = Cache()
        let answers: [(CDNPurger.Outcome, Double?)] = (0..<12).map { number in
            number % 3 == 0 ? (.status(503), nil) : (.failure("no connection"), nil)
        }
        let purger = purger(cache, answers)
        cache.onRequest.withLock { $0 = { [weak purger] count in if count == 4 { purger?.purge(["osm.2"]) } } }
        purger.purge(["osm.1"])
        try await eventually { purger.report.succeeded == 1 }
        #expect(
            cache.tags.prefix(4).allSatisfy { $0 == ["osm.1"] } && Set(cache.tags.last ?? []) == ["osm.1", "osm.2"])
        #expect(purger.report.failed == 12)
        let waits = cache.waits
        #expect(waits.count >= 12 && waits[0] <= 1 && waits[0] >= 0.75 && waits.allSatisfy { $0 <= 60 })
        #expect(waits[11] >= 45 && waits.prefix(12).reduce(0, +) > 240)
    }

    @Test func waitsAsLongAsItIsTold() async throws {
        let cache = Cache()
        let purger = purger(cache, [(.status(429), 17), (.status(503), 4_000)])
        purger.purge(["osm"])
        try await eventually { purger.report.succeeded == 1 }
        #expect(cache.waits == [17, 300])
    }

    /// The layer's own tag stands for all that it has.
    @Test func aWholeLayerTakesThePlaceOfItsParts() async throws {
        let cache = Cache()
        let purger = purger(cache, [(.status(500), nil)])
        purger.purge(["osm.1", "sea.1", "osm.2", "osm", "osm.3", "sea.2"])
        try await eventually { purger.report.succeeded == 1 }
        #expect(cache.tags.map(Set.init) == [["osm", "sea.1", "sea.2"], ["osm", "sea.1", "sea.2"]])
    }

    /// What waits is bounded, and whole layers are purged then.
    @Test func tooMuchThatWaitsBecomesWholeLayers() async throws {
        let cache = Cache()
        let purger = purger(cache, [(.status(500), nil)])
        purger.purge((0..<9_999).map { "osm.\($0)" } + ["sea.1", "sea.2"])
        try await eventually { purger.report.succeeded >= 1 && purger.report.waiting == 0 }
        #expect(cache.tags.map(Set.init) == [["osm", "sea"], ["osm", "sea"]])
    }

    @Test func tellsNobodyWhereNobodyIsToBeTold() async throws {
        let cache = Cache()
        let purger = purger(cache)
        purger.follow(nil)
        purger.purge(["osm"])
        #expect(!purger.isOn && purger.report.waiting == 0)
        await purger.close()
        #expect(cache.requests.isEmpty)
    }

    // MARK: Requests

    private func request(_ change: (inout CDNSettings.Purge) -> Void) -> CDNPurgeRequest {
        var settings = CDNSettings.Purge()
        settings.url = "https://api.example.org/purge"
        change(&settings)
        return CDNPurgeRequest(["osm", "osm.012-"], settings)
    }

    @Test func putsTagsWhereTheyAreWanted() {
        let varnish = request {
            $0.method = "PURGE"
            $0.headers = ["xkey-purge": "{tags}"]
        }
        #expect(varnish.headers == ["xkey-purge": "osm osm.012-"] && varnish.body.isEmpty && varnish.method == "PURGE")
        let cloudflare = request { $0.body = #"{"tags": {tags}}"# }
        #expect(cloudflare.body == #"{"tags": ["osm","osm.012-"]}"#)
        #expect(cloudflare.headers == ["Content-Type": "application/json"] && cloudflare.method == "POST")
        let quoted = request {
            $0.body = #"{"keys": "all of {tags}", "\"{tags}\"": {tags}}"#
            $0.headers = ["content-type": "application/vnd.x+json"]
        }
        #expect(quoted.body == #"{"keys": "all of osm osm.012-", "\"osm osm.012-\"": ["osm","osm.012-"]}"#)
        #expect(quoted.headers == ["content-type": "application/vnd.x+json"])
        let text = request { $0.body = #"purge "{tags}" {tags}"# }
        #expect(text.body == #"purge "osm osm.012-" osm osm.012-"# && text.headers.isEmpty)
        #expect(request { $0.url += "?keys={tags}" }.url == "https://api.example.org/purge?keys=osm%20osm.012-")
    }
}

/// Waits for what other tasks bring about.
private func eventually(
    _ condition: () -> Bool, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    for _ in 0..<3_000 where !condition() { try await Task.sleep(for: .milliseconds(10)) }
    #expect(condition(), sourceLocation: sourceLocation)
}
