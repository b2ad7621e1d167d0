import Configuration
import Foundation

/// What the machine, or the control group, lets a server have.
package struct MachineFacts: Sendable, Equatable {
    /// Bytes that the control group allows; nil where it has no limit.
    package var groupMemory: Int?
    /// Bytes of the machine's memory, and of those what is free or can be freed; nil where that cannot be read.
    package var memory, availableMemory: Int?
    /// Descriptors that a server may have: it takes the hard limit (RLIMIT_NOFILE). Nil: any number.
    package var descriptors: Int?
    /// Seconds since 1970.
    package var time: Int

    /// As this process finds them. Blocks for a moment.
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

    /// Of the lines of `/proc/meminfo` (proc(5)), such as `MemTotal:       16316412 kB`.
    static func memory(_ name: String, in text: String) -> Int? {
        let line = text.split(separator: "\n").first { $0.hasPrefix("\(name):") }
        let words = line?.split(separator: " ") ?? []
        guard words.count > 1, let number = Int(words[1]) else { return nil }
        return number.multipliedReportingOverflow(by: 1_024).overflow ? nil : number * 1_024
    }
}
