/// A counter of the faults that a check finds in an archive. `add` reports each fault as a sentence, until
/// `mostReported` faults are counted.
package struct ArchiveFaults {
    /// Maximum number of faults that a check reports. The check ends at this number: in a damaged archive, each tile
    /// could have a fault.
    package static let mostReported = 1_000

    /// The number of faults that `add` has counted.
    package private(set) var count = 0
    private let report: (String) -> Void

    /// Creates a counter without faults. `add` calls `report` with the sentence of each fault. After the fault with the
    /// number `mostReported`, `add` also reports that the check ends.
    package init(report: @escaping (String) -> Void) { self.report = report }

    /// True if the check should end.
    package var isFull: Bool { count >= Self.mostReported }

    /// Counts a fault, and reports `sentence`, which describes the fault. Does nothing if `mostReported` faults were
    /// counted before.
    package mutating func add(_ sentence: String) {
        guard !isFull else { return }
        count += 1
        report(sentence)
        if isFull { report("The check ends after \(Self.mostReported) faults.") }
    }
}
