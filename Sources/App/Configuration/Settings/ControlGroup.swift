import Foundation

/// What the system lets this process have, together with others in its control group (cgroups(7)).
package enum ControlGroup {
    /// The least limit of memory of the process's group and of those above it, in bytes; nil where none has one, or where none
    /// can be read. Looks at version 2 and version 1. Blocks while it reads; `root` is where `/proc` and `/sys` are found.
    package static func memoryLimit(root: String = "/") -> Int? {
        let membership = text(root + "/proc/self/cgroup") ?? ""
        return membership.split(separator: "\n").flatMap { line -> [Int] in
            // Such as `0::/user.slice` of version 2 and `4:cpu,memory:/docker/ab` of version 1.
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { return [] }
            if parts[0] == "0", parts[1].isEmpty {
                return limits(of: parts[2], below: ["", "/unified"], file: "memory.max", root)
            }
            guard parts[1].split(separator: ",").contains("memory") else { return [] }
            return limits(of: parts[2], below: ["/memory", "/\(parts[1])"], file: "memory.limit_in_bytes", root)
        }.min()
    }

    /// Of the group at `path` and of those above it. In a container the group's own directory is often mounted as the highest
    /// one, while `path` is that of the machine: what is not there has no limit.
    private static func limits(
        of path: Substring, below mounts: [String], file: String, _ root: String
    ) -> [Int] {
        let names = path.split(separator: "/").filter { $0 != ".." }
        return mounts.flatMap { mount in
            (0...names.count).compactMap { count in
                let directory = names.prefix(count).reduce("\(root)/sys/fs/cgroup\(mount)") { "\($0)/\($1)" }
                return text("\(directory)/\(file)").flatMap(limit)
            }
        }
    }

    /// Version 2 writes `max` where there is no limit, version 1 a number that no machine reaches.
    private static func limit(_ text: String) -> Int? {
        guard let bytes = Int(text.prefix { $0 != "\n" }), bytes < 1 << 60 else { return nil }
        return bytes
    }

    private static func text(_ path: String) -> String? {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }
}
