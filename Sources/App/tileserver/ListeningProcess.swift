import Files
import Foundation

/// The process of this user's that listens on a TCP port of this machine, as `/proc` has it (proc(5)).
struct ListeningProcess {
    private let path: String

    /// Nil where there is none, or none that this user may look at.
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

    /// Its working directory.
    var directory: String? { Self.link("\(path)/cwd") }

    /// What it is called; nil where that cannot be read.
    var name: String? {
        FileManager.default.contents(atPath: "\(path)/comm").map {
            String(decoding: $0.prefix { $0 >= 0x20 }, as: UTF8.self)
        }
    }

    /// How many descriptors it may have; nil: any number, or unknown.
    var descriptorLimit: Int? {
        let line = String(decoding: Self.content(of: "\(path)/limits"), as: UTF8.self)
            .split(separator: "\n").first { $0.hasPrefix("Max open files") }
        // Max open files, the soft limit, which a server raises to the hard one behind it, files.
        return line?.split(separator: " ").dropLast().last.flatMap { Int($0) }
    }

    /// What the variable `name` was when it started; nil where it was nothing.
    func variable(_ name: String) -> String? {
        let value = Self.content(of: "\(path)/environ").split(separator: 0).first { $0.starts(with: "\(name)=".utf8) }?
            .dropFirst(name.utf8.count + 1)
        return value.flatMap { $0.isEmpty ? nil : String(decoding: $0, as: UTF8.self) }
    }

    /// The sockets that listen on `port`, as links to them read.
    private static func listeners(in table: String, port: Int) -> [String] {
        String(decoding: content(of: table), as: UTF8.self).split(separator: "\n").compactMap { line in
            // sl, local_address, rem_address, st (0A: it listens), …, inode in the tenth place.
            let words = line.split(separator: " ")
            guard words.count > 9, words[3] == "0A", let local = words[1].split(separator: ":").last,
                Int(local, radix: 16) == port
            else { return nil }
            return "socket:[\(words[9])]"
        }
    }

    /// All of a file of `/proc`. Foundation reads only the first page of a file whose size is said to be 0. Empty where nothing can be read:
    /// of others' processes, or of one that has ended.
    private static func content(of path: String) -> [UInt8] {
        do { return try RegularFile(path).prefix(64 << 20) } catch { return [] }
    }

    private static func names(in directory: String) -> [String] {
        // Of others' processes nothing can be read, and some end meanwhile.
        (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    }

    private static func link(_ path: String) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: path)  // As above.
    }
}
