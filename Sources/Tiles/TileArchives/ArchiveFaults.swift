/// The faults that a check found in an archive. Each fault is reported as a sentence, up to `mostReported` faults.
package struct ArchiveFaults {
    /// Maximum number of reported faults. The check then ends: a damaged archive could have a fault for each of its
    /// tiles.
    package static let mostReported = 1_000

    /// The number of faults until now.
    package private(set) var count = 0
    private let report: (String) -> Void

    /// Creates a list that passes each fault to `report`.
    package init(report: @escaping (String) -> Void) { self.report = report }

    /// True if the check should end.
    package var isFull: Bool { count >= Self.mostReported }

    /// Adds the fault that `sentence` describes. Ignores the fault if the list is full.
    package mutating func add(_ sentence: String) {
        guard !isFull else { return }
        count += 1
        report(sentence)
        if isFull { report("The check ends after \(Self.mostReported) faults.") }
    }
}
