import Files
import Foundation

/// Finds the process that listens on a TCP port of this machine, with the files in `/proc` (proc(5)). Finds only
/// processes that this user may inspect.
struct ListeningProcess {
    private let path: String

    /// Returns nil if there is no such process, or this user may not inspect it.
    init?(port: Int) {
        let sockets = Set(["tcp", "tcp6"].flatMap { Self.listeners(in: "/proc/net/\($0)", port: port) })
        let processes = Self.names(in: "/proc").filter { Int($0) != nil }
        guard !sockets.isEmpty,
            let process = processes.first(where: { process in
                let files = "/proc/\(process)/fd"
                return Self.names(in: files).contains { Self.link("\(files)/\($0)").map(sockets.contains) ?? false }
            })
        else { return nil }
        path = "/proc/\(process)"
    }

    /// The working directory of the process.
    var directory: String? { Self.link("\(path)/cwd") }

    /// The name of the process. Nil if it is not readable.
    var name: String? {
        FileManager.default.contents(atPath: "\(path)/comm").map {
            String(decoding: $0.prefix { $0 >= 0x20 }, as: UTF8.self)
        }
    }

    /// Maximum number of open descriptors. Nil if there is no limit, or it is unknown.
    var descriptorLimit: Int? {
        let line = String(decoding: Self.content(of: "\(path)/limits"), as: UTF8.self)
            .split(separator: "\n").first { $0.hasPrefix("Max open files") }
        // The line has "Max open files", the soft limit, the hard limit and "files". A server raises its soft limit to
        // the hard limit.
        return line?.split(separator: " ").dropLast().last.flatMap { Int($0) }
    }

    /// Returns the value of the variable `name` at the start of the process. Nil if the variable was not set or empty,
    /// or is not readable.
    func variable(_ name: String) -> String? {
        let value = Self.content(of: "\(path)/environ").split(separator: 0).first { $0.starts(with: "\(name)=".utf8) }?
            .dropFirst(name.utf8.count + 1)
        return value.flatMap { $0.isEmpty ? nil : String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the sockets that listen on `port`, in the form of links to sockets.
    private static func listeners(in table: String, port: Int) -> [String] {
        String(decoding: content(of: table), as: UTF8.self).split(separator: "\n").compactMap { line in
            // The words are sl, local_address, rem_address, st (0A: listening), …, and inode in the tenth place.
            let words = line.split(separator: " ")
            guard words.count > 9, words[3] == "0A", let local = words[1].split(separator: ":").last,
                Int(local, radix: 16) == port
            else { return nil }
            return "socket:[\(words[9])]"
        }
    }

    /// Returns the content of a file in `/proc`, at most 64 MiB. Foundation reads only one page of a file with the
    /// reported size 0. Empty if the file is not readable, for example because the process belongs to another user or
    /// has ended.
    private static func content(of path: String) -> [UInt8] {
        do { return try RegularFile(path).prefix(64 << 20) } catch { return [] }
    }

    private static func names(in directory: String) -> [String] {
        // Processes of other users are not readable, and a process may end at any time.
        (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    }

    private static func link(_ path: String) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: path)  // The process may have ended.
    }
}
