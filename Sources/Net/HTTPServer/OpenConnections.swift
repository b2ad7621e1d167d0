import Runtime
import Synchronization

/// How many connections are open, over all workers. Thread rule: any thread.
final class OpenConnections: Sendable {
    /// Places beyond the limit that are kept for clients on this machine, so that an operator gets in.
    static let reserve = 8

    private let all = Atomic<Int>(0)
    private let reserved = Atomic<Int>(0)
    private let accepted = Atomic<Int>(0)

    /// All of them, and the newcomers that are not placed yet.
    var count: Int { all.load(ordering: .relaxed) }

    /// Those that count towards the limit.
    var ordinaryCount: Int { count - reserved.load(ordering: .relaxed) }

    /// All that there ever were.
    var acceptedCount: Int { accepted.load(ordering: .relaxed) }

    func add() {
        accepted.add(1, ordering: .relaxed)
        all.add(1, ordering: .relaxed)
    }

    /// Takes one of the kept places for a newcomer that was added; false where all are taken.
    func takeReserved() -> Bool {
        guard reserved.add(1, ordering: .relaxed).newValue > Self.reserve else { return true }
        reserved.subtract(1, ordering: .relaxed)
        return false
    }

    func remove(isReserved: Bool) {
        if isReserved { reserved.subtract(1, ordering: .relaxed) }
        all.subtract(1, ordering: .relaxed)
    }
}

/// How many streamed answers are under way, over all workers, and the memory that they take beside what is untaken. Thread rule:
/// any thread.
final class OpenStreams: Sendable {
    let limit: Int
    private let budget: MemoryBudget
    private let all = Atomic<Int>(0)

    /// What a stream takes while nothing is sent.
    static let streamBytes = 1_024

    init(limit: Int, budget: MemoryBudget) {
        self.limit = limit
        self.budget = budget
    }

    var count: Int { all.load(ordering: .relaxed) }

    /// Takes a place for another; false where there is none, or no memory for it.
    func take() -> Bool {
        let hasPlace = all.add(1, ordering: .relaxed).newValue <= limit
        if hasPlace, budget.take(Self.streamBytes, for: .answers) { return true }
        all.subtract(1, ordering: .relaxed)
        return false
    }

    func giveBack() {
        all.subtract(1, ordering: .relaxed)
        budget.giveBack(Self.streamBytes, for: .answers)
    }
}
