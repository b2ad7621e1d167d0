import Configuration
import Foundation

/// The memory, the file descriptors and the clock of this machine. Limits of the control group (cgroups(7)) are
/// included.
package struct MachineFacts: Sendable, Equatable {
    /// Memory limit of the control group in bytes. Nil if there is no limit.
    package var groupMemory: Int?
    /// Total memory of the machine in bytes, and the part that is free or can be freed. Nil if unknown.
    package var memory, availableMemory: Int?
    /// Maximum number of descriptors: the hard limit (RLIMIT_NOFILE), which the server uses. Nil if there is no limit,
    /// or if the limit is unknown.
    package var descriptors: Int?
    /// Current time in seconds since 1970.
    package var time: Int

    /// Reads the facts of this machine. Blocks for a moment.
    package static func now() -> MachineFacts {
        let text =
            FileManager.default.contents(atPath: "/proc/meminfo").map { String(decoding: $0, as: UTF8.self) } ?? ""
        var limit = rlimit()
        let isKnown = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
        return MachineFacts(
            groupMemory: ControlGroup.memoryLimit(), memory: memory("MemTotal", in: text),
            availableMemory: memory("MemAvailable", in: text),
            descriptors: isKnown && limit.rlim_max != rlim_t.max ? Int(clamping: limit.rlim_max) : nil,
            time: Foundation.time(nil))
    }

    /// Returns a value of `/proc/meminfo` (proc(5)) in bytes, from a line such as `MemTotal:       16316412 kB`.
    static func memory(_ name: String, in text: String) -> Int? {
        let line = text.split(separator: "\n").first { $0.hasPrefix("\(name):") }
        let words = line?.split(separator: " ") ?? []
        guard words.count > 1, let number = Int(words[1]) else { return nil }
        return number.multipliedReportingOverflow(by: 1_024).overflow ? nil : number * 1_024
    }
}
