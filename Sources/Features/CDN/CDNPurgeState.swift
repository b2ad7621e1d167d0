/// What a `CDNPurger` knows. A value, without a clock.
struct CDNPurgeState: Sendable {
    /// Tags of one request.
    static let mostTags = 100
    /// Bytes of one request's tags, with one between two: what fits into a header field of every server.
    private static let mostBytes = 4_000

    var settings: CDNSettings.Purge?
    var waiting = CDNTagList()
    /// What was purged, and is to be purged again now.
    var again = CDNTagList()
    /// What was purged since the last turn, and what had been by then.
    private var recent = CDNTagList()
    private var due = CDNTagList()
    /// Whether all servers had it when `due` became what it is.
    private var isDueSettled = true
    private var isTiming = false
    /// Of the request that is under way, and whether it is their first one.
    private(set) var underWay: [String] = []
    private(set) var isFirst = true
    private(set) var isRunning = false
    /// The last loop of requests that was started: it alone goes on.
    private var run = 0
    var isClosed = false
    private(set) var failures = 0
    var report = CDNPurger.Report()
    /// The layers and maps that are served, and their identities.
    var served: [String: String] = [:]

    init(settings: CDNSettings.Purge?) {
        self.settings = settings
    }

    /// All that is to be purged, also what is to be once more.
    var pending: [String] {
        CDNTagList(underWay + waiting.tags + toRepeat).tags
    }

    var toRepeat: [String] { CDNTagList((isFirst ? [] : underWay) + again.tags + due.tags + recent.tags).tags }

    mutating func forget() {
        (waiting, again, recent, due) = (CDNTagList(), CDNTagList(), CDNTagList(), CDNTagList())
    }

    /// The number of the loop that the caller is to start, since nobody sends what waits; nil where somebody does.
    mutating func starts() -> Int? {
        guard !isClosed, !isRunning else { return nil }
        isRunning = true
        run += 1
        return run
    }

    /// The same where the loop only waits, after a failure, to try again: it does not go on then.
    mutating func startsAnew() -> Int? {
        guard isRunning, underWay.isEmpty else { return nil }
        isRunning = false
        return starts()
    }

    /// The next tags to be purged by the loop `number`, and how; nil where it ends, and where there are none, so that nobody asks any more.
    mutating func next(of number: Int) -> (tags: [String], settings: CDNSettings.Purge)? {
        guard number == run else { return nil }
        guard let settings, !isClosed, !waiting.isEmpty || !again.isEmpty else {
            isRunning = false
            return nil
        }
        isFirst = !waiting.isEmpty
        underWay =
            isFirst
            ? waiting.takeFirst(Self.mostTags, bytes: Self.mostBytes)
            : again.takeFirst(Self.mostTags, bytes: Self.mostBytes)
        return (underWay, settings)
    }

    /// Notes what became of the request that is under way. How many have failed in a row, up to it or before it; whether the caller is
    /// to begin to repeat what was purged.
    mutating func note(_ outcome: CDNPurger.Outcome, _ time: Int) -> (failures: Int, startsTimer: Bool) {
        let tags = underWay
        underWay = []
        report.last = CDNPurger.Report.Last(outcome: outcome, tags: tags.count, time: time)
        guard outcome.isSuccess else {
            report.failed += 1
            failures += 1
            guard settings != nil else { return (failures, false) }
            if isFirst { waiting.add(tags) } else { again.add(tags) }
            return (failures, false)
        }
        report.succeeded += 1
        defer { failures = 0 }
        guard isFirst, settings != nil else { return (failures, false) }
        recent.add(tags)
        defer { isTiming = true }
        return (failures, !isTiming)
    }

    /// What was purged a turn ago is to be purged again, and after that once more where other servers may have answered in between by
    /// what was cleared. Returns whether nothing is left for another turn.
    mutating func turn(isSettled: Bool) -> Bool {
        again.add(due.tags)
        if !isDueSettled { recent.add(due.tags) }
        (due, recent, isDueSettled) = (recent, CDNTagList(), isSettled)
        isTiming = !due.isEmpty
        return due.isEmpty
    }
}
