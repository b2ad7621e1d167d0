import Configuration
import EventLog
import Logging
import Synchronization

/// Tells a cache in front of clears: one request at a time, of at most 100 tags, repeated until it succeeds. What waits is bounded: of too
/// much, whole layers are purged instead.
///
/// A class to own what waits. Thread rule: any thread; no caller blocks.
package final class CDNPurger: Sendable {
    /// What became of a request.
    package enum Outcome: Sendable, Equatable {
        case status(Int)
        /// Why there is none, in words without a URL.
        case failure(String)

        var isSuccess: Bool { if case .status(200..<300) = self { true } else { false } }
    }

    /// What `/admin/cache` says.
    package struct Report: Sendable {
        package struct Last: Sendable {
            package let outcome: Outcome
            package let tags: Int
            /// Seconds since 1970.
            package let time: Int
        }

        /// Requests since the start.
        package var succeeded = 0
        package var failed = 0
        /// Tags that are not purged yet.
        package var waiting = 0
        package var last: Last?
    }

    /// Of one request.
    static let mostTags = 100
    /// Of one request, with one between two: what fits into a header field of every server.
    private static let mostBytes = 4_000
    /// That wait.
    static let mostWaiting = 10_000
    private static let longestWait = 60.0

    fileprivate struct State {
        var settings: CDNSettings.Purge?
        var waiting: [String] = []
        var known: Set<String> = []
        var isRunning = false
        var isClosed = false
        var failures = 0
        var report = Report()
    }

    private let state: Mutex<State>
    private let send: @Sendable (CDNPurgeRequest) async -> (outcome: Outcome, wait: Double?)
    private let sleep: @Sendable (Double) async -> Void
    private let now: @Sendable () -> Int
    private let log: EventLog

    /// `send` says what becomes of a request, and how many seconds the next one is to wait at least; `sleep` returns after so many
    /// seconds; `now` says the seconds since 1970.
    init(
        _ settings: CDNSettings.Purge?, log: EventLog, now: @escaping @Sendable () -> Int,
        sleep: @escaping @Sendable (Double) async -> Void,
        send: @escaping @Sendable (CDNPurgeRequest) async -> (outcome: Outcome, wait: Double?)
    ) {
        var state = State()
        state.settings = settings
        self.state = Mutex(state)
        self.log = log
        self.now = now
        self.sleep = sleep
        self.send = send
    }

    /// Whether anybody is told.
    var isOn: Bool { state.withLock { $0.settings != nil } }

    /// Goes by `settings` from now on; nil forgets what waits.
    func follow(_ settings: CDNSettings.Purge?) {
        state.withLock { state in
            state.settings = settings
            if settings == nil { state.forget() }
        }
    }

    /// Purges `tags` soon.
    func purge(_ tags: [String]) {
        let starts = state.withLock { state in
            guard state.settings != nil, !state.isClosed else { return false }
            state.add(tags)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if starts { Task { await run() } }
    }

    package var report: Report {
        state.withLock { state in
            var report = state.report
            report.waiting = state.waiting.count
            return report
        }
    }

    /// Ends it: what cannot be said within a second is not said any more, which the log says.
    func close() async {
        for _ in 0..<20 where state.withLock({ $0.isRunning && $0.failures == 0 }) { await sleep(0.05) }
        let left = state.withLock { state in
            state.isClosed = true
            defer { state.forget() }
            return state.waiting.count
        }
        if left > 0 { log.record("cdn_purge_lost", ["tags": .stringConvertible(left)]) }
    }

    // MARK: Requests

    private func run() async {
        while let (tags, settings) = state.withLock({ $0.next() }) {
            let (outcome, wait) = await send(CDNPurgeRequest(tags, settings))
            let failures = state.withLock { state in
                state.report.last = Report.Last(outcome: outcome, tags: tags.count, time: now())
                guard !outcome.isSuccess else {
                    state.report.succeeded += 1
                    defer { state.failures = 0 }
                    return state.failures
                }
                state.report.failed += 1
                state.failures += 1
                if !state.isClosed, state.settings != nil { state.add(tags) }
                return state.failures
            }
            if outcome.isSuccess {
                if failures > 0 { log.record("cdn_up", level: .info, ["failures": .stringConvertible(failures)]) }
            } else {
                if failures == 1 { log.record("cdn_down", ["why": "\(outcome)"]) }
                let pause = min(pow2(min(failures - 1, 6)), Self.longestWait) * Double.random(in: 0.75...1)
                await sleep(max(pause, min(wait ?? 0, 300)))
            }
        }
    }

    private func pow2(_ exponent: Int) -> Double { Double(1 << exponent) }
}

extension CDNPurger.State {
    /// The next tags to be purged, and how; nil where there are none, and then nobody asks any more.
    fileprivate mutating func next() -> (tags: [String], settings: CDNSettings.Purge)? {
        guard let settings, !waiting.isEmpty else {
            isRunning = false
            return nil
        }
        var (count, bytes) = (0, 0)
        for tag in waiting.prefix(CDNPurger.mostTags) {
            bytes += tag.utf8.count + 1
            if count > 0, bytes > CDNPurger.mostBytes { break }
            count += 1
        }
        let tags = Array(waiting.prefix(count))
        waiting.removeFirst(count)
        known.subtract(tags)
        return (tags, settings)
    }

    /// Adds what is not covered by what waits.
    fileprivate mutating func add(_ tags: [String]) {
        for tag in tags where !known.contains(tag) && !known.contains(tag.layerOfTag) {
            waiting.append(tag)
            known.insert(tag)
        }
        let layers = Set(tags.filter { $0 == $0.layerOfTag })
        guard !layers.isEmpty || waiting.count > CDNPurger.mostWaiting else { return }
        let isTooMuch = waiting.count > CDNPurger.mostWaiting
        var kept: [String] = []
        known = []
        for tag in waiting {
            let layer = tag.layerOfTag
            let tag = isTooMuch || layers.contains(layer) ? layer : tag
            if known.insert(tag).inserted { kept.append(tag) }
        }
        waiting = kept
    }

    fileprivate mutating func forget() {
        waiting = []
        known = []
    }
}

extension String {
    /// The tag of all that this tag's layer or map has.
    fileprivate var layerOfTag: String { firstIndex(of: ".").map { String(self[..<$0]) } ?? self }
}

extension CDNPurger.Outcome: CustomStringConvertible {
    package var description: String {
        switch self {
        case .status(let status): "status \(status)"
        case .failure(let text): text
        }
    }
}
