/// The tags that a `CDNPurger` still has to purge, and the state of its requests. This is a value, and its caller
/// passes the time.
struct CDNPurgeState: Sendable {
    /// Maximum number of tags in one request.
    static let mostTags = 100
    /// Maximum size in bytes of one request's tags, with one byte for each separator. Servers usually accept a header
    /// field of this size.
    private static let mostBytes = 4_000

    var settings: CDNSettings.Purge?
    var waiting = CDNTagList()
    /// Tags that were purged before and must be purged again now.
    var again = CDNTagList()
    /// `recent` has tags that were purged since the last turn. `due` has tags that were purged before the last turn.
    private var recent = CDNTagList()
    private var due = CDNTagList()
    /// True if all servers had the clears of `due` at the last turn.
    private var isDueSettled = true
    private var isTiming = false
    /// The tags of the request in progress. `isFirst` is true if these tags were not purged before.
    private(set) var underWay: [String] = []
    private(set) var isFirst = true
    private(set) var isRunning = false
    /// The number of the last loop of requests. Earlier loops end.
    private var run = 0
    var isClosed = false
    private(set) var failures = 0
    var report = CDNPurger.Report()
    /// The served layers and maps, with their identities.
    var served: [String: String] = [:]

    init(settings: CDNSettings.Purge?) {
        self.settings = settings
    }

    /// All tags that must be purged, repeats included.
    var pending: [String] {
        CDNTagList(underWay + waiting.tags + toRepeat).tags
    }

    var toRepeat: [String] { CDNTagList((isFirst ? [] : underWay) + again.tags + due.tags + recent.tags).tags }

    mutating func forget() {
        (waiting, again, recent, due) = (CDNTagList(), CDNTagList(), CDNTagList(), CDNTagList())
    }

    /// Returns the number of a new loop, which the caller must start. Nil if a loop runs already, or if the purger is
    /// closed.
    mutating func starts() -> Int? {
        guard !isClosed, !isRunning else { return nil }
        isRunning = true
        run += 1
        return run
    }

    /// Returns the number of a new loop if the current loop only waits after a failure. The current loop ends then. Nil
    /// if no loop runs, if the current loop has a request in progress, or if the purger is closed.
    mutating func startsAnew() -> Int? {
        guard isRunning, underWay.isEmpty else { return nil }
        isRunning = false
        return starts()
    }

    /// Returns the tags and the settings for the next request of the loop `number`. Returns nil if the loop must end.
    /// The loop ends when no tags are left, when there are no settings, when the purger is closed, or when a newer loop
    /// has started.
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

    /// Records the result of the request in progress. `failures` is the number of failed requests in a row. After a
    /// success, `failures` is the number of failures before it. If `startsTimer` is true, the caller must start the
    /// timer that purges the tags a second time.
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

    /// Begins the next turn. Tags that were purged a turn ago are purged again now. If some servers lacked the clear at
    /// the last turn, the same tags are purged once more at the next turn, because these servers may have answered with
    /// old tiles. Returns true if no tags are left for another turn.
    mutating func turn(isSettled: Bool) -> Bool {
        again.add(due.tags)
        if !isDueSettled { recent.add(due.tags) }
        (due, recent, isDueSettled) = (recent, CDNTagList(), isSettled)
        isTiming = !due.isEmpty
        return due.isEmpty
    }
}
