import Runtime
import Synchronization

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
