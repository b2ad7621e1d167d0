import Bytes
import Runtime

/// Counts the bytes of responses that clients of one reactor have not read yet. If several clients wait for the same
/// bytes, such as one tile, the bytes are in memory only once and are counted once.
///
/// A class, because it must give its counted bytes back to the budget at the end. Thread rule: only on the reactor's
/// queue.
final class HeldAnswers {
    /// Bound for `bytes`, which may exceed it for a moment.
    let most: Int
    private(set) var bytes = 0
    private let budget: MemoryBudget
    /// Number of holds by object.
    private var holds: [ObjectIdentifier: Int] = [:]
    /// Bytes that are counted in the budget.
    private var counted = 0

    /// Bytes that each held object takes beside its content, including its entry here.
    private static let overhead = 128
    /// The budget, which has a lock, is updated in steps of this many bytes.
    private static let step = 65_536

    /// Creates one of `count` counters that share the budget's part for responses evenly.
    init(_ budget: MemoryBudget, oneOf count: Int) {
        self.budget = budget
        most = budget.most(for: .answers) / count
    }

    deinit {
        budget.giveBack(counted, for: .answers)
    }

    var isOver: Bool { bytes > most }

    /// Counts a hold of `object`. The caller keeps `object` alive until it is released as often as it was held.
    func hold(_ object: SharedBytes) {
        let holds = holds[ObjectIdentifier(object), default: 0] + 1
        self.holds[ObjectIdentifier(object)] = holds
        guard holds == 1 else { return }
        change(by: object.count + Self.overhead)
        counted(object)?.beginOtherCount()
    }

    func release(_ object: SharedBytes) {
        guard let holds = holds[ObjectIdentifier(object)] else { return }
        self.holds[ObjectIdentifier(object)] = holds > 1 ? holds - 1 : nil
        guard holds == 1 else { return }
        change(by: -object.count - Self.overhead)
        counted(object)?.endOtherCount()
    }

    /// Counts further bytes, or fewer if `bytes` is negative.
    func count(_ bytes: Int) { change(by: bytes) }

    /// Returns the budget's own count of a large tile, so that the tile does not count twice. Otherwise clients that
    /// read nothing would use up the share for tiles that are being fetched. Returns nil for other objects.
    private func counted(_ object: SharedBytes) -> HeldBytes? {
        object.count > HeldBytes.uncounted ? object.kept as? HeldBytes : nil
    }

    private func change(by difference: Int) {
        bytes += difference
        let wanted = (bytes + Self.step - 1) / Self.step * Self.step
        guard wanted != counted else { return }
        if wanted > counted {
            budget.add(wanted - counted, for: .answers)
        } else {
            budget.giveBack(counted - wanted, for: .answers)
        }
        counted = wanted
    }
}
