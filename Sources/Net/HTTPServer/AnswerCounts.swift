import Synchronization

/// How many answers one worker has given, by what their tags say.
///
/// A class to own the counts. Thread rule: `add` on the worker's reactor only, so that a count costs a load and a store; the rest
/// on any thread.
final class AnswerCounts: @unchecked Sendable {
    // Invariant behind @unchecked: one thread at a time writes; whoever reads sees each count whole, because all are atomic.
    private typealias Counts = UnsafeMutablePointer<Atomic<Int>>

    /// By route, then by status.
    private let answers: Counts
    /// By the upper bits of a slot: the counts of 64 slots, made when the first of them is counted.
    private let blocks: UnsafeMutablePointer<Atomic<UInt>>

    /// Above every status code.
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

    /// Counts an answer.
    @inline(__always)
    func add(_ tag: ResponseTag, _ status: Status) {
        let route = Int(tag.route) < ResponseTag.routes ? Int(tag.route) : 0
        Self.increment(answers + (route * Self.codes + status.rawValue))
        guard tag.result != 0, Int(tag.result) < ResponseTag.results else { return }
        let index = Int(tag.slot) / Self.blockSlots
        let block = block(index) ?? makeBlock(index)
        Self.increment(block + Self.offset(tag.slot, tag.result))
    }

    /// Answers of `status` to requests of a route.
    func answers(route: Int, _ status: Status) -> Int {
        (answers + (route * Self.codes + status.rawValue)).pointee.load(ordering: .relaxed)
    }

    /// Answers with `result` under `slot`.
    func results(_ result: UInt8, slot: UInt16) -> Int {
        guard let block = block(Int(slot) / Self.blockSlots) else { return 0 }
        return (block + Self.offset(slot, result)).pointee.load(ordering: .relaxed)
    }

    private static func offset(_ slot: UInt16, _ result: UInt8) -> Int {
        Int(slot) % blockSlots * ResponseTag.results + Int(result)
    }

    /// Not an atomic addition, which would cost more: nobody else writes.
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

/// How many answers a server has given since its start: the sums over its workers. Counts only grow. Thread rule: any thread; the
/// server goes on meanwhile.
public struct AnswerTotals: Sendable {
    let workers: [AnswerCounts]

    /// Answers of `status` to requests of `route`, which is below `ResponseTag.routes`; a stream counts when it begins.
    public func answers(route: UInt8, _ status: Status) -> Int {
        let route = min(Int(route), ResponseTag.routes - 1)
        return workers.reduce(0) { $0 + $1.answers(route: route, status) }
    }

    /// Answers with `result`, which is below `ResponseTag.results`, under `slot`.
    public func results(_ result: UInt8, slot: UInt16) -> Int {
        let result = min(result, UInt8(ResponseTag.results - 1))
        return workers.reduce(0) { $0 + $1.results(result, slot: slot) }
    }
}
