import Runtime

/// Counts the pages that database connections keep in memory. The bytes are counted even if the budget is exhausted.
///
/// This is a class so that its `deinit` gives the bytes back. Thread rule: any thread.
final class CountedPages: Sendable {
    private let bytes: Int
    private let budget: MemoryBudget?

    init(_ bytes: Int, in budget: MemoryBudget?) {
        (self.bytes, self.budget) = (bytes, budget)
        budget?.add(bytes, for: .tiles)
    }

    deinit {
        budget?.giveBack(bytes, for: .tiles)
    }
}
