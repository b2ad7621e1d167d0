import Synchronization

/// Counts the responses of one worker for metrics, by route and status, and by slot and result.
///
/// A class because it owns the memory of the counts. Thread rule: `add` only on the worker's reactor, so that a count
/// costs one load and one store. All other methods on any thread.
final class AnswerCounts: @unchecked Sendable {
    // Invariant behind @unchecked: only one thread writes, and all counts are atomic, so that readers see whole values.
    private typealias Counts = UnsafeMutablePointer<Atomic<Int>>

    /// Counts by route, then by status.
    private let answers: Counts
    /// Counts by slot. A block has the counts of 64 slots, and is allocated when one of them is first counted.
    private let blocks: UnsafeMutablePointer<Atomic<UInt>>

    /// Larger than every status code.
    private static let codes = 600
    private static let answerCount = ResponseTag.routes * codes
    private static let blockSlots = 64
    private static let blockCount = 65_536 / blockSlots
    private static let countsOfABlock = blockSlots * ResponseTag.results

    init() {
        answers = Self.zeros(Self.answerCount)
        blocks = .allocate(capacity: Self.blockCount)
        for index in 0..<Self.blockCount { (blocks + index).initialize(to: Atomic(0)) }
    }

    deinit {
        Self.free(answers, Self.answerCount)
        for index in 0..<Self.blockCount {
            if let block = block(index) { Self.free(block, Self.countsOfABlock) }
        }
        blocks.deinitialize(count: Self.blockCount)
        blocks.deallocate()
    }

    /// Counts a response.
    @inline(__always)
    func add(_ tag: ResponseTag, _ status: Status) {
        let route = Int(tag.route) < ResponseTag.routes ? Int(tag.route) : 0
        Self.increment(answers + (route * Self.codes + status.rawValue))
        guard tag.result != 0, Int(tag.result) < ResponseTag.results else { return }
        let index = Int(tag.slot) / Self.blockSlots
        let block = block(index) ?? makeBlock(index)
        Self.increment(block + Self.offset(tag.slot, tag.result))
    }

    /// Number of responses with `status` on a route.
    func answers(route: Int, _ status: Status) -> Int {
        (answers + (route * Self.codes + status.rawValue)).pointee.load(ordering: .relaxed)
    }

    /// Number of responses with `result` under `slot`.
    func results(_ result: UInt8, slot: UInt16) -> Int {
        guard let block = block(Int(slot) / Self.blockSlots) else { return 0 }
        return (block + Self.offset(slot, result)).pointee.load(ordering: .relaxed)
    }

    private static func offset(_ slot: UInt16, _ result: UInt8) -> Int {
        Int(slot) % blockSlots * ResponseTag.results + Int(result)
    }

    /// A load and a store are cheaper than an atomic addition. Only one thread writes.
    @inline(__always)
    private static func increment(_ count: Counts) {
        count.pointee.store(count.pointee.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    }

    private func block(_ index: Int) -> Counts? {
        Counts(bitPattern: (blocks + index).pointee.load(ordering: .acquiring))
    }

    private func makeBlock(_ index: Int) -> Counts {
        let block = Self.zeros(Self.countsOfABlock)
        (blocks + index).pointee.store(UInt(bitPattern: block), ordering: .releasing)
        return block
    }

    private static func zeros(_ count: Int) -> Counts {
        let counts = Counts.allocate(capacity: count)
        for index in 0..<count { (counts + index).initialize(to: Atomic(0)) }
        return counts
    }

    private static func free(_ counts: Counts, _ count: Int) {
        counts.deinitialize(count: count)
        counts.deallocate()
    }
}

/// The numbers of all responses since the start of the server, added up over its workers. They never become smaller.
/// Thread rule: any thread, also while the server runs.
public struct AnswerTotals: Sendable {
    let workers: [AnswerCounts]

    /// Number of responses with `status` on `route`, which is below `ResponseTag.routes`. A stream counts when it
    /// begins.
    public func answers(route: UInt8, _ status: Status) -> Int {
        let route = min(Int(route), ResponseTag.routes - 1)
        return workers.reduce(0) { $0 + $1.answers(route: route, status) }
    }

    /// Number of responses with `result`, which is below `ResponseTag.results`, under `slot`.
    public func results(_ result: UInt8, slot: UInt16) -> Int {
        let result = min(result, UInt8(ResponseTag.results - 1))
        return workers.reduce(0) { $0 + $1.results(result, slot: slot) }
    }
}
