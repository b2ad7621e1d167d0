import Runtime

/// The pages that connections to a database keep in memory: counted, whether or not there is room.
///
/// A class to give them back. Thread rule: any thread.
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
