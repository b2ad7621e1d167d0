import EventLog
import Foundation
import Logging
import Synchronization
import TestSupport
import Testing

@testable import CDN

/// Tests for the purger, which sends the tags of cleared tiles to a CDN cache.
@Suite struct CDNPurgerTests {
    /// A fake CDN cache with scripted responses, and a clock that advances when the purger waits.
    private final class Cache: Sendable {
        struct State {
            var requests: [CDNPurgeRequest] = []
            var waits: [Double] = []
            var answers: [(CDNPurger.Outcome, Double?)] = []
            /// Lengths of the pauses before a repeated purge, in seconds, and the continuations that wait in such a
            /// pause.
            var pauses: [Double] = []
            var pausing: [CheckedContinuation<Void, Never>] = []
        }

        let state = Mutex(State())
        /// Lines of the event log.
        let lines = Mutex<[String]>([])
        /// Called with the number of each request, starting at 1.
        let onRequest = Mutex<(@Sendable (Int) -> Void)?>(nil)

        var requests: [CDNPurgeRequest] { state.withLock { $0.requests } }
        var tags: [[String]] { requests.map { $0.body.split(separator: " ").map(String.init) } }
        var waits: [Double] { state.withLock { $0.waits } }
        var pauses: [Double] { state.withLock { $0.pauses } }

        func pause(_ seconds: Double) async {
            await withCheckedContinuation { continuation in
                state.withLock { state in
                    state.pauses.append(seconds)
                    state.pausing.append(continuation)
                }
            }
        }

        /// Ends the current pause, or the next one if the purger does not pause yet.
        func turn() async throws {
            await expectEventually { state.withLock { !$0.pausing.isEmpty } }
            let first = state.withLock { $0.pausing.isEmpty ? nil : $0.pausing.removeFirst() }
            first?.resume()
        }
    }

    private func purger(
        _ cache: Cache, _ answers: [(CDNPurger.Outcome, Double?)] = [], directory: String? = nil,
        isSettled: @escaping @Sendable () -> Bool = { true }
    ) -> CDNPurger {
        var settings = CDNSettings.Purge()
        (settings.url, settings.body) = ("http://cache/", "{tags}")
        cache.state.withLock { $0.answers = answers }
        let log = EventLog(
            logger: Logger(label: "test") { _ in
                LineLogHandler { line in cache.lines.withLock { $0.append(line) } }
            })
        return CDNPurger(
            settings, log: log, isSettled: isSettled, directory: directory, now: { 1_700_000_000 },
            sleep: { seconds in
                if seconds == 5 || seconds == 30 { return await cache.pause(seconds) }
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

    @Test func sendsEachTagOnce() async throws {
        let cache = Cache()
        let purger = purger(cache)
        purger.purge(["osm.1", "osm.2", "osm.1"])
        await expectEventually { purger.report.succeeded == 1 }
        #expect(cache.tags == [["osm.1", "osm.2"]])
        purger.purge(["osm.1"])
        await expectEventually { purger.report.succeeded == 2 }
        #expect(cache.tags.last == ["osm.1"] && purger.report.waiting == 0 && purger.report.failed == 0)
        #expect(purger.report.last?.outcome == .status(200) && purger.report.last?.tags == 1)
    }

    @Test func sendsAtMostHundredTagsPerRequest() async throws {
        let cache = Cache()
        let purger = purger(cache)
        purger.purge((0..<250).map { "osm.\($0)" })
        await expectEventually { purger.report.succeeded == 3 }
        #expect(cache.tags.map(\.count) == [100, 100, 50] && Set(cache.tags.joined()).count == 250)
        // A request also has no more bytes of tags than fit into a header field.
        let long = String(repeating: "a", count: 60)
        purger.purge((0..<100).map { "\(long).\($0)" })
        await expectEventually { purger.report.succeeded == 5 }
        #expect(cache.requests.allSatisfy { $0.body.utf8.count <= 4_000 })
        #expect(Set(cache.tags.joined()).count == 350)
    }

    /// Retries for minutes with growing waits. No tag is lost, and the retry includes tags that arrived in the
    /// meantime.
    @Test func retriesUntilPurgeSucceeds() async throws {
        let cache = Cache()
        let answers: [(CDNPurger.Outcome, Double?)] = (0..<12).map { number in
            number % 3 == 0 ? (.status(503), nil) : (.failure("no connection"), nil)
        }
        let purger = purger(cache, answers)
        cache.onRequest.withLock { $0 = { [weak purger] count in if count == 4 { purger?.purge(["osm.2"]) } } }
        purger.purge(["osm.1"])
        await expectEventually { purger.report.succeeded == 1 }
        #expect(
            cache.tags.prefix(4).allSatisfy { $0 == ["osm.1"] } && Set(cache.tags.last ?? []) == ["osm.1", "osm.2"])
        #expect(purger.report.failed == 12)
        let waits = cache.waits
        #expect(waits.count >= 12 && waits[0] <= 1 && waits[0] >= 0.75 && waits.allSatisfy { $0 <= 60 })
        #expect(waits[11] >= 45 && waits.prefix(12).reduce(0, +) > 240)
    }

    @Test func waitsForRetryAfterTimeUpToLimit() async throws {
        let cache = Cache()
        let purger = purger(cache, [(.status(429), 17), (.status(503), 4_000)])
        purger.purge(["osm"])
        await expectEventually { purger.report.succeeded == 1 }
        #expect(cache.waits == [17, 300])
    }

    /// The layer's own tag covers all tiles of the layer.
    @Test func layerTagReplacesTagsOfItsTiles() async throws {
        let cache = Cache()
        let purger = purger(cache, [(.status(500), nil)])
        purger.purge(["osm.1", "sea.1", "osm.2", "osm", "osm.3", "sea.2"])
        await expectEventually { purger.report.succeeded == 1 }
        #expect(cache.tags.map(Set.init) == [["osm", "sea.1", "sea.2"], ["osm", "sea.1", "sea.2"]])
    }

    /// The number of waiting tags is limited. Above the limit the purger purges whole layers.
    @Test func purgesWholeLayersWhenTooManyTagsWait() async throws {
        let cache = Cache()
        let purger = purger(cache, [(.status(500), nil)])
        purger.purge((0..<9_999).map { "osm.\($0)" } + ["sea.1", "sea.2"])
        await expectEventually { purger.report.succeeded >= 1 && purger.report.waiting == 0 }
        #expect(cache.tags.map(Set.init) == [["osm", "sea"], ["osm", "sea"]])
    }

    @Test func sendsNoPurgesWithoutSettings() async throws {
        let cache = Cache()
        let purger = purger(cache)
        purger.follow(nil)
        purger.purge(["osm"])
        #expect(!purger.isOn && purger.report.waiting == 0)
        await purger.close()
        #expect(cache.requests.isEmpty)
    }

    // MARK: Repeated purges

    /// Repeats each purge after a pause. A response that was on its way to the cache during the clear has arrived by
    /// then.
    @Test func repeatsEachPurgeAfterPause() async throws {
        let cache = Cache()
        let purger = purger(cache)
        purger.purge(["osm.1"])
        await expectEventually { purger.report.again == 1 }
        #expect(cache.tags == [["osm.1"]] && purger.report.waiting == 0)
        try await cache.turn()
        // A tag that is added now gets its own pause.
        await expectEventually { cache.pauses.count == 2 }
        purger.purge(["osm.2"])
        await expectEventually { purger.report.succeeded == 2 && purger.report.again == 2 }
        try await cache.turn()
        await expectEventually { purger.report.succeeded == 3 }
        try await cache.turn()
        await expectEventually { purger.report.succeeded == 4 && purger.report.again == 0 }
        #expect(cache.tags == [["osm.1"], ["osm.2"], ["osm.1"], ["osm.2"]] && cache.pauses == [5, 5, 5])
    }

    @Test func retriesFailedRepeatedPurge() async throws {
        let cache = Cache()
        let purger = purger(cache, [(.status(200), nil), (.status(500), nil)])
        purger.purge(["osm.1"])
        for _ in 0..<2 { try await cache.turn() }
        await expectEventually { purger.report.succeeded == 2 && purger.report.again == 0 }
        #expect(cache.requests.count == 3)
    }

    /// A node that lacks the clear still serves cleared tiles to the cache.
    @Test func repeatsPurgeUntilAllNodesHaveClear() async throws {
        let cache = Cache()
        let isSettled = Mutex(false)
        let purger = purger(cache) { isSettled.withLock { $0 } }
        purger.purge(["osm.1"])
        try await cache.turn()
        try await cache.turn()
        await expectEventually { purger.report.succeeded == 2 }
        await expectEventually { cache.pauses.count == 3 }
        #expect(purger.report.again == 1)
        isSettled.withLock { $0 = true }
        // The purger repeats the purge twice: once for the pause that began before all nodes had the clear, and once
        // after that.
        for count in 3...4 {
            try await cache.turn()
            await expectEventually { purger.report.succeeded == count }
        }
        await expectEventually { purger.report.again == 0 }
        #expect(cache.pauses == [5, 30, 30, 5] && cache.tags == Array(repeating: ["osm.1"], count: 4))
    }

    // MARK: The end

    private func scratch() -> String {
        FileManager.default.temporaryDirectory.appending(path: "cdn-\(UUID().uuidString)").path
    }

    @Test func keepsWaitingTagsAcrossRestart() async throws {
        let path = scratch()
        let refusing = Cache()
        var before: CDNPurger? = purger(
            refusing, Array(repeating: (.status(503), nil), count: 1_000_000), directory: path)
        before?.purge(["osm.1", "sea", "osm.0231-"])
        await expectEventually { refusing.requests.count > 2 }
        await before?.close()
        before = nil
        #expect(
            Set(try String(contentsOfFile: "\(path)/cdn-purges", encoding: .utf8).split(separator: "\n")) == [
                "osm.1", "sea", "osm.0231-",
            ])

        let cache = Cache()
        let after = purger(cache, directory: path)
        await expectEventually { after.report.succeeded == 1 }
        #expect(cache.tags.map(Set.init) == [["osm.1", "sea", "osm.0231-"]])
        // The repeated purge must succeed before the purger has no work left.
        for _ in 0..<2 { try await cache.turn() }
        await expectEventually { after.report.succeeded == 2 && after.report.again == 0 }
        await after.close()
        #expect(!FileManager.default.fileExists(atPath: "\(path)/cdn-purges"))
    }

    @Test func keepsRepeatedPurgesAcrossRestart() async throws {
        let path = scratch()
        let before = purger(Cache(), directory: path)
        before.purge(["osm.1"])
        await expectEventually { before.report.again == 1 }
        await before.close()
        let cache = Cache()
        let after = purger(cache, directory: path)
        await expectEventually { after.report.succeeded == 1 }
        #expect(cache.tags == [["osm.1"]])
        after.follow(nil)
        await after.close()
        #expect(!FileManager.default.fileExists(atPath: "\(path)/cdn-purges"))
    }

    /// Skips lines that are not tags, because the file may be foreign or damaged.
    @Test func skipsInvalidLinesOfPurgeFile() throws {
        let path = scratch()
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(CDNFile.purges(in: path).read().lines == [])
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let long = String(repeating: "a", count: 201)
        try Data("osm.1\nA\nosm\r\nX: y\n\n\(long)\nsea \nland.i\n\u{FF}".utf8).write(
            to: URL(fileURLWithPath: "\(path)/cdn-purges"))
        #expect(CDNFile.purges(in: path).read().lines == ["osm.1", "land.i"])
    }

    @Test func logsLostPurgesOfDamagedFile() async throws {
        let path = scratch()
        defer { try? FileManager.default.removeItem(atPath: path) }
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let file = URL(fileURLWithPath: "\(path)/cdn-purges")
        try (Data("osm.1\n".utf8) + Data(count: 300) + Data("\nNO\n".utf8)).write(to: file)
        let cache = Cache()
        let damaged = purger(cache, directory: path)
        await expectEventually { damaged.report.succeeded == 1 }
        #expect(cache.tags == [["osm.1"]])
        let line = cache.lines.withLock { $0.first { $0.contains("\"cdn_purge_lost\"") } }
        #expect(line?.contains("\"tags\":2") == true && line?.contains("damaged") == true, "\(line ?? "")")
        damaged.follow(nil)
        await damaged.close()
        // A directory stands in for an unreadable file, because root can read every file.
        try? FileManager.default.removeItem(at: file)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        let other = Cache()
        await purger(other, directory: path).close()
        #expect(other.lines.withLock { $0.contains { $0.contains("\"cdn_purge_lost\"") } })
        // Without a file, no purges are lost.
        let none = Cache()
        await purger(none, directory: scratch()).close()
        #expect(none.lines.withLock { $0.isEmpty })
    }

    /// The server stops, gets another configuration, and starts again.
    @Test func purgesChangedLayersAfterRestart() async throws {
        let path = scratch()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let before = Cache()
        let first = purger(before, directory: path)
        first.serve([("same", "0a"), ("other", "0b"), ("gone", "0c"), ("map", "0d")])
        await first.close()
        #expect(before.requests.isEmpty)
        let cache = Cache()
        let second = purger(cache, directory: path)
        second.serve([("new", "01"), ("same", "0a"), ("other", "ff"), ("map", "0d")])
        await expectEventually { second.report.succeeded == 1 }
        #expect(cache.tags == [["gone", "other"]])
        // A reload works the same way. It also purges layers that the caller names in `others`.
        second.serve([("same", "0a"), ("other", "ff"), ("map", "0d")], others: ["map"])
        await expectEventually { second.report.succeeded == 2 }
        #expect(cache.tags.last == ["new", "map"])
        await second.close()
    }

    /// The file is written later than `serve` returns, and then has the layers of the last call.
    @Test func remembersTheLastOfManyQuickReloads() async throws {
        let path = scratch()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let first = purger(Cache(), directory: path)
        for number in 0...200 { first.serve([("map", String(number, radix: 16))]) }
        await first.close()
        #expect(try String(contentsOfFile: path + "/cdn-layers", encoding: .utf8) == "map c8\n")
    }

    /// The API key was wrong and is right now. The purger does not wait for the end of a long pause.
    @Test func retriesAtOnceWithNewSettings() async throws {
        let cache = Cache()
        // The fake cache holds a pause of 30 s until `turn()`, so that the pause lasts.
        let purger = purger(cache, [(.status(401), 30)])
        purger.purge(["osm"])
        await expectEventually { cache.pauses == [30] }
        var settings = CDNSettings.Purge()
        (settings.url, settings.body) = ("http://cache/other", "{tags}")
        purger.follow(settings)
        await expectEventually { purger.report.succeeded == 1 }
        #expect(cache.requests.map(\.url) == ["http://cache/", "http://cache/other"])
        // The waiting attempt with the old settings does not continue.
        try await cache.turn()
        for _ in 0..<2 { try await cache.turn() }
        await expectEventually { purger.report.succeeded == 2 && purger.report.again == 0 }
        #expect(cache.requests.count == 3)
    }
}
