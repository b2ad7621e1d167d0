import EventLog
import Logging
import Synchronization

/// Removes cleared tiles from a cache in front of the server, for example a CDN. The purger sends one request at a
/// time, with at most 100 tags, and repeats a failed request until it succeeds. If too many tags wait, it purges whole
/// layers.
///
/// A few seconds after a success, the purger sends the same tags again. During the clear, an old tile may have been on
/// its way to the cache. One tier of the cache may also have fetched an old tile from a tier that was purged later.
/// This is a class because it owns the waiting tags. Thread rule: any thread. Only `init` blocks, because it reads
/// files.
package final class CDNPurger: Sendable {
    /// The result of a request.
    package enum Outcome: Sendable, Equatable {
        case status(Int)
        /// The reason why there is no response, as text without a URL.
        case failure(String)

        var isSuccess: Bool { if case .status(200..<300) = self { true } else { false } }
    }

    /// Numbers about the requests and the waiting tags.
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
        /// Number of tags that are not purged yet.
        package var waiting = 0
        /// Number of tags that were purged and will be purged again.
        package var again = 0
        package var last: Last?
    }

    private let state: Mutex<CDNPurgeState>
    private let send: @Sendable (CDNPurgeRequest) async -> (outcome: Outcome, wait: Double?)
    private let sleep: @Sendable (Double) async -> Void
    private let now: @Sendable () -> Int
    private let isSettled: @Sendable () -> Bool
    private let purges: CDNFile?
    private let layers: CDNFile?
    private let share: CDNShare?
    private let log: EventLog

    /// - Parameters:
    ///   - share: tells the other nodes of a fleet about waiting purges, in case this node fails. Nil if there is no
    ///     fleet.
    ///   - isSettled: reports whether every server that the cache may ask has applied the clears.
    ///   - directory: the directory of two files, with the waiting purges and the served layers. Nil: nothing is saved.
    ///   - send: sends a request. Returns its result, and the minimum number of seconds before the next request if this
    ///     one failed.
    ///   - sleep: waits for the given number of seconds.
    ///   - now: returns the seconds since 1970.
    init(
        _ settings: CDNSettings.Purge?, log: EventLog, isSettled: @escaping @Sendable () -> Bool = { true },
        directory: String? = nil, share: CDNShare? = nil, now: @escaping @Sendable () -> Int,
        sleep: @escaping @Sendable (Double) async -> Void,
        send: @escaping @Sendable (CDNPurgeRequest) async -> (outcome: Outcome, wait: Double?)
    ) {
        state = Mutex(CDNPurgeState(settings: settings))
        self.log = log
        self.isSettled = isSettled
        self.share = share
        purges = directory.map(CDNFile.purges)
        layers = directory.map(CDNFile.layers)
        self.now = now
        self.sleep = sleep
        self.send = send
        share?.setAdopt { [weak self] tags in self?.purge(tags) }
        guard settings != nil else { return }
        state.withLock { $0.served = Self.served(layers?.read().lines ?? []) }
        guard let left = purges?.read() else { return }
        if let fault = left.fault {
            log.record("cdn_purge_lost", ["why": "\(fault)"])
        } else if left.damaged > 0 {
            log.record(
                "cdn_purge_lost", ["tags": .stringConvertible(left.damaged), "why": "the file cdn-purges is damaged"])
        }
        guard !left.lines.isEmpty else { return }
        log.record("cdn_purge_resumed", level: .info, ["tags": .stringConvertible(left.lines.count)])
        purge(left.lines)
    }

    /// True if there is a cache in front to purge.
    package var isOn: Bool { state.withLock { $0.settings != nil } }

    /// Replaces the settings. If they have changed, a loop that waits after a failure tries again at once. Nil drops
    /// all waiting tags.
    package func follow(_ settings: CDNSettings.Purge?) {
        let run = state.withLock { state in
            let isOther = state.settings != settings
            state.settings = settings
            if settings == nil { state.forget() }
            return isOther ? state.startsAnew() : nil
        }
        if settings == nil { save() }
        if let run { Task { await self.run(run) } }
    }

    /// Replaces the served layers and maps. Purges layers and maps that were served before, also by an earlier process,
    /// and that are gone or have another identity now. An identity stands for the settings that determine a layer's
    /// tiles. Purges the tags `others` too. Does nothing if there is no cache in front to purge.
    package func serve(_ next: @autoclosure () -> [(id: String, identity: String)], others: [String] = []) {
        guard isOn else { return }
        let served = Dictionary(next().map { ($0.id, $0.identity) }) { first, _ in first }
        let changed = state.withLock { state in
            defer { state.served = served }
            return state.served.filter { served[$0.key] != $0.value }.map(\.key)
        }
        // Reads the state when the file is written: a write that is already scheduled then has the newest layers.
        layers?.write { [self] in state.withLock(\.served).map { "\($0) \($1)" }.sorted() }
        purge(changed.sorted() + others)
    }

    private static func served(_ lines: [String]) -> [String: String] {
        let pairs = lines.map { $0.split(separator: " ") }.map { (String($0[0]), String($0[1])) }
        return Dictionary(pairs) { first, _ in first }
    }

    /// Purges `tags` soon.
    func purge(_ tags: [String]) {
        guard !tags.isEmpty else { return }
        let run = state.withLock { state in
            guard state.settings != nil else { return nil as Int? }
            state.waiting.add(tags)
            return state.starts()
        }
        save()
        if let run { Task { await self.run(run) } }
    }

    package var report: Report {
        state.withLock { state in
            var report = state.report
            report.waiting = state.waiting.count + (state.isFirst ? state.underWay.count : 0)
            report.again = state.toRepeat.count
            return report
        }
    }

    /// Stops the purger, after waiting at most one second for its requests. The file keeps the remaining tags for the
    /// next process. The log says how many tags wait or are in the request in progress. Without a file, or if the file
    /// cannot be written, the log says that these tags are lost.
    package func close() async {
        for _ in 0..<20 where state.withLock({ $0.isRunning && $0.failures == 0 }) { await sleep(0.05) }
        let (unsaid, isLeft) = state.withLock { state in
            state.isClosed = true
            return (state.waiting.count + state.underWay.count, !state.pending.isEmpty)
        }
        save()
        _ = await layers?.finish()
        let isWritten = await purges?.finish() ?? false
        guard isLeft else { return }
        if isWritten {
            if unsaid > 0 { log.record("cdn_purge_kept", level: .info, ["tags": .stringConvertible(unsaid)]) }
        } else if unsaid > 0 {
            log.record("cdn_purge_lost", ["tags": .stringConvertible(unsaid)])
        }
    }

    private func save() {
        purges?.write { [self] in state.withLock { $0.pending } }
        if let share { Task { await share.put { self.state.withLock { $0.pending } } } }
    }

    // MARK: The other nodes of a fleet

    /// Purges `tags` soon. Returns when Redis has the tags for the other nodes, or does not answer in time.
    package func purgeForAll(_ tags: [String]) async {
        purge(tags)
        await share?.put { self.state.withLock { $0.pending } }
    }

    /// Takes over the tags of absent nodes, and purges them. Writes this node's tags to Redis again, because Redis may
    /// have lost its data. Returns false if this purger is closed, or if there is no fleet.
    @discardableResult
    func lookAfterOthers() async -> Bool {
        guard let share, !state.withLock({ $0.isClosed }) else { return false }
        guard isOn else { return true }
        for left in await share.takeOver() {
            log.record(
                "cdn_purge_taken_over", level: .info,
                ["node": .string(left.node), "tags": .stringConvertible(left.tags.count)])
            purge(left.tags)
        }
        let isPending = state.withLock { !$0.pending.isEmpty }
        await share.put(isAnew: isPending) { self.state.withLock { $0.pending } }
        return true
    }

    // MARK: Requests

    /// Sends requests until `CDNPurgeState.next` ends the loop. After a failure, waits and tries again. `number`
    /// identifies this loop of requests: `CDNPurgeState.starts` returned it.
    private func run(_ number: Int) async {
        while let (tags, settings) = state.withLock({ $0.next(of: number) }) {
            let (outcome, wait) = await send(CDNPurgeRequest(tags, settings))
            let time = now()
            let (failures, startsTimer) = state.withLock { $0.note(outcome, time) }
            save()
            if startsTimer { Task { await repeatLater() } }
            if outcome.isSuccess {
                if failures > 0 { log.record("cdn_up", level: .info, ["failures": .stringConvertible(failures)]) }
            } else {
                if failures == 1 { log.record("cdn_down", ["why": "\(outcome)"]) }
                let pause = min(pow2(min(failures - 1, 6)), Self.longestWait) * Double.random(in: 0.75...1)
                await sleep(max(pause, min(wait ?? 0, 300)))
            }
        }
    }

    private static let longestWait = 60.0

    private func pow2(_ exponent: Int) -> Double { Double(1 << exponent) }

    // MARK: Repeats

    /// Purges tags again, some seconds after their last purge. Returns when no tag needs another purge.
    private func repeatLater() async {
        var pause = Self.pause
        while true {
            await sleep(pause)
            let isSettled = isSettled()
            let (isDone, run) = state.withLock { state in
                let isDone = state.turn(isSettled: isSettled)
                return (isDone, state.again.isEmpty ? nil : state.starts())
            }
            if let run { Task { await self.run(run) } }
            if isDone { return }
            pause = isSettled ? Self.pause : Self.unsettledPause
        }
    }

    /// Seconds between two turns. Tags are purged again at the second turn after their purge.
    private static let pause = 5.0
    /// Seconds between two turns while some servers lack a clear.
    private static let unsettledPause = 30.0
}

extension CDNPurger.Outcome: CustomStringConvertible {
    package var description: String {
        switch self {
        case .status(let status): "status \(status)"
        case .failure(let text): text
        }
    }
}
