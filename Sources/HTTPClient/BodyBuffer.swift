import Bytes
import Reactor

/// Collects a body whose length is only claimed. A class to own one allocation until it becomes a `SharedBytes`.
///
/// Large bodies are counted in the budget of memory, for as long as they are here.
///
/// Thread rule: one reactor's queue.
final class BodyBuffer {
    private var storage = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var count = 0
    private let memory: MemoryBudget
    /// Bytes in the count of `memory`.
    private var counted = 0

    /// Many tiles are no larger, and are not worth a count: so few bytes of each request under way are bounded by their number.
    private static let uncounted = 16_384
    /// What libcurl keeps for a transfer besides, its receive buffer above all.
    private static let overhead = 49_152
    /// The budget, which others share, is told in steps of so many bytes.
    private static let step = 65_536

    enum Outcome {
        case taken
        /// The body would pass its limit; nothing was taken.
        case tooLarge
        /// There is no room for it in memory; nothing was taken.
        case noMemory
    }

    init(memory: MemoryBudget) {
        self.memory = memory
    }

    deinit {
        discard()
    }

    /// Reserves room for a body that claims `length` bytes. The system gives real memory only as bytes come.
    func reserve(_ length: Int) {
        if length > storage.count { grow(to: length) }
    }

    /// Appends `bytes`, unless the body would pass `limit` bytes.
    func append(_ bytes: UnsafeRawBufferPointer, limit: Int) -> Outcome {
        guard bytes.count <= limit - count else { return .tooLarge }
        let needed = count + bytes.count
        guard hasRoom(for: needed) else { return .noMemory }
        if needed > storage.count { grow(to: min(max(needed, storage.count * 2), limit)) }
        UnsafeMutableRawBufferPointer(rebasing: storage[count..<needed]).copyMemory(from: bytes)
        count = needed
        return .taken
    }

    /// Gives the bytes away, without a copy where little of the room is empty; the buffer is empty after it.
    func take() -> SharedBytes {
        defer { discard() }
        guard count > 0 else { return .empty }
        guard storage.count - count <= count / 8 else {
            return SharedBytes(UnsafeRawBufferPointer(rebasing: storage[..<count]))
        }
        let bytes = SharedBytes(adopting: storage, count: count)
        storage = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        return bytes
    }

    /// Forgets the bytes.
    func discard() {
        storage.deallocate()
        storage = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        count = 0
        if counted > 0 { memory.giveBack(counted, for: .tiles) }
        counted = 0
    }

    /// Counts steps until they hold `needed` bytes.
    private func hasRoom(for needed: Int) -> Bool {
        guard needed > Self.uncounted else { return true }
        while needed + Self.overhead > counted {
            guard memory.take(Self.step, for: .tiles) else { return false }
            counted += Self.step
        }
        return true
    }

    private func grow(to capacity: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[..<count]))
        storage.deallocate()
        storage = larger
    }
}
