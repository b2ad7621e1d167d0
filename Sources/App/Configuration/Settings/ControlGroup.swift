import Foundation

/// Reads the limits of this process's control group (cgroups(7)). A control group is a set of processes that share
/// limits, for example a container.
package enum ControlGroup {
    /// Returns the memory limit of this process in bytes, or nil if there is no limit or no limit can be read. Control
    /// groups are nested, so the lowest limit of the process's group and of all groups above counts. Supports version 2
    /// and version 1 of control groups. Blocks while it reads files. `root` is the directory that contains `/proc` and
    /// `/sys`.
    package static func memoryLimit(root: String = "/") -> Int? {
        let membership = text(root + "/proc/self/cgroup") ?? ""
        return membership.split(separator: "\n").flatMap { line -> [Int] in
            // For example `0::/user.slice` in version 2, and `4:cpu,memory:/docker/ab` in version 1.
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { return [] }
            if parts[0] == "0", parts[1].isEmpty {
                return limits(of: parts[2], below: ["", "/unified"], file: "memory.max", root)
            }
            guard parts[1].split(separator: ",").contains("memory") else { return [] }
            return limits(of: parts[2], below: ["/memory", "/\(parts[1])"], file: "memory.limit_in_bytes", root)
        }.min()
    }

    /// Returns the limits of the group at `path` and of the groups above it. In a container the group's own directory
    /// is often the top of the mount, while `path` is the machine's path. A directory that does not exist has no limit.
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

    /// Parses a limit. Without a limit, version 2 writes `max`, and version 1 writes a number above any machine's
    /// memory.
    private static func limit(_ text: String) -> Int? {
        guard let bytes = Int(text.prefix { $0 != "\n" }), bytes < 1 << 60 else { return nil }
        return bytes
    }

    private static func text(_ path: String) -> String? {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }
}
