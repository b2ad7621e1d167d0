import Runtime

/// Counts the memory that database connections may use for pages. The bytes are counted even if the memory budget has
/// no room.
///
/// This is a class so that its `deinit` gives the bytes back to the budget. Thread rule: any thread.
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
