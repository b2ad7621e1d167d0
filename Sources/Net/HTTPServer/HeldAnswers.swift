import Bytes
import Runtime

/// What the clients of one reactor have not taken yet of their answers. Bytes that several of them wait for, as for a tile, lie in
/// memory once and are counted once.
///
/// A class to own what is counted in the budget. Thread rule: only on the reactor's queue.
final class HeldAnswers {
    /// The most bytes that may be held here.
    let most: Int
    private(set) var bytes = 0
    private let budget: MemoryBudget
    /// How often each is held.
    private var holds: [ObjectIdentifier: Int] = [:]
    /// In the budget.
    private var counted = 0

    /// What each object takes beside its bytes, its entry here included.
    private static let overhead = 128
    /// The budget, which others share, is told in steps of so many bytes.
    private static let step = 65_536

    /// One of `count` that share what `budget` has for answers evenly.
    init(_ budget: MemoryBudget, oneOf count: Int) {
        self.budget = budget
        most = budget.most(for: .answers) / count
    }

    deinit {
        budget.giveBack(counted, for: .answers)
    }

    var isOver: Bool { bytes > most }

    /// The caller keeps `object` alive until it is released as often as it was held.
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

    /// The count of a large tile, which must not count twice: clients that read nothing would take the share of those that are fetched.
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
