import Synchronization

/// Bytes of a `MemoryBudget` that are given back when this goes: a class to own them. Thread rule: any thread, one at a time.
public final class MemoryReservation: Sendable {
    private let budget: MemoryBudget
    private let use: MemoryBudget.Use
    private let count: Atomic<Int>

    /// Owns `bytes` that were taken already.
    init(_ bytes: Int, for use: MemoryBudget.Use, of budget: MemoryBudget) {
        self.budget = budget
        self.use = use
        count = Atomic(bytes)
    }

    deinit {
        release()
    }

    /// What is reserved now.
    public var bytes: Int { count.load(ordering: .relaxed) }

    /// Has `bytes` reserved from now on. Fewer than before always work; more only where there is room for them at once, else
    /// nothing changes. Says whether it is so.
    public func resize(to bytes: Int) -> Bool {
        let before = self.bytes
        if bytes > before, !budget.take(bytes - before, for: use) { return false }
        count.store(bytes, ordering: .relaxed)
        if bytes < before { budget.giveBack(before - bytes, for: use) }
        return true
    }

    /// Leaves what is reserved to the caller, who gives it back to the budget.
    func handOver() -> MemoryBudget {
        count.store(0, ordering: .relaxed)
        return budget
    }

    /// Gives everything back now. Once or more often.
    public func release() {
        _ = resize(to: 0)
    }
}

extension MemoryBudget {
    /// A reservation where there is room at once; nil where there is none.
    public func reservation(of bytes: Int, for use: Use) -> MemoryReservation? {
        take(bytes, for: use) ? MemoryReservation(bytes, for: use, of: self) : nil
    }
}
