import Files
import Runtime

/// Finds the archives in some directories: files whose names end in `.mbtiles` or `.pmtiles`. The server serves each
/// archive as a layer. Each call of `look` finds new, changed and removed files.
///
/// `look` returns a new archive only after its file has not changed for two seconds, because another program may still
/// write the file. From then on, `look` returns the archive until the file is removed, another archive has the same
/// name, or `refuse` is called. If the file changes and cannot be read any more, the layer keeps the content that the
/// server opened before. If a directory cannot be read, `look` returns the archives that the directory had at the last
/// successful reading.
///
/// Thread rule: only one thread at a time may use this value. `look` reads files and blocks this thread.
package struct ArchiveDirectories: ~Copyable {
    /// The paths of the directories.
    package let paths: [String]
    /// Returns the reason why a layer must not have the given name, as a text. Returns nil for an allowed name. The
    /// given name is a file's name without its ending.
    private let complaint: @Sendable (String) -> String?
    private var directories: [String: [ArchiveDirectory.Entry]] = [:]
    private var files: [String: KnownFile] = [:]
    private var isFirst = true

    /// Number of seconds for which a file must stay unchanged before `look` opens the file.
    static let stillness = 2.0

    package init(_ paths: [String], complaint: @escaping @Sendable (String) -> String?) {
        // A directory that is named twice must not make duplicates of its files.
        var seen: Set<String> = []
        self.paths = paths.filter { seen.insert($0).inserted }
        self.complaint = complaint
    }

    /// A file in one of the directories, and the result of the last check of its content.
    private struct KnownFile {
        var identity: FileIdentity
        /// The time at which the wait of `stillness` seconds began. The wait begins when `look` finds new content, and
        /// again when the file is locked or takes too long to check.
        var since: MonotonicTime
        var isStill: Bool
        /// The identity of the last content that passed the check. Nil if no content has passed the check, or if the
        /// server has refused the file since.
        var served: FileIdentity?
        /// The reason why the present content of the file cannot be served. Nil if the check found no problem, or if
        /// the present content is not checked yet.
        var problem: String?
        var isChecked = false
    }

    /// Reads the directories. Returns the archives that can be served now, and the faults of files and directories.
    /// `time` is the present time of the monotonic clock. `now` is the present time in seconds since 1970, for the
    /// comparison with the modification times of files.
    package mutating func look(at time: MonotonicTime = .now(), now: Int) -> FoundArchives {
        var found = FoundArchives()
        var entries: [ArchiveDirectory.Entry] = []
        var present: Set<String> = []
        for path in paths {
            do throws(FileError) {
                let listed = try ArchiveDirectory(path: path).entries()
                for entry in listed { note(entry, time, now) }
                directories[path] = listed
            } catch {
                found.faults.append(.init(path: path, reason: .directory("\(error)")))
            }
            entries += directories[path] ?? []
        }
        for entry in entries { present.insert(entry.path) }
        files = files.filter { present.contains($0.key) }
        isFirst = false
        collect(entries, into: &found)
        found.archives.sort { $0.name < $1.name }
        found.faults.sort { ($0.path, "\($0.reason)") < ($1.path, "\($1.reason)") }
        return found
    }

    /// Makes the next call of `look` check each file with a problem again, even if the file has not changed.
    package mutating func checkAgain() {
        for (path, file) in files where file.problem != nil { files[path]?.isChecked = false }
    }

    /// Makes `look` leave out the archive at `path` from now on and report `problem`, a text for the administrator. The
    /// archive can be served again after its file has changed, or after a call of `checkAgain`.
    package mutating func refuse(_ path: String, _ problem: String) {
        files[path]?.served = nil
        files[path]?.problem = problem
    }

    private mutating func note(_ entry: ArchiveDirectory.Entry, _ time: MonotonicTime, _ now: Int) {
        guard let name = entry.name, complaint(name) == nil, case .success(let identity) = entry.identity else {
            files[entry.path] = nil
            return
        }
        var file = files[entry.path] ?? KnownFile(identity: identity, since: time, isStill: false)
        if file.identity != identity {
            file = KnownFile(identity: identity, since: time, isStill: false, served: file.served)
        } else if isFirst {
            // Nothing is known of the time before. The clock of a file server may be ahead.
            file.isStill = abs(now - identity.modified) >= Int(Self.stillness)
        }
        file.isStill = file.isStill || time.seconds(since: file.since) >= Self.stillness
        if file.isStill, !file.isChecked { Self.check(&file, entry, time) }
        files[entry.path] = file
    }

    private static func check(_ file: inout KnownFile, _ entry: ArchiveDirectory.Entry, _ time: MonotonicTime) {
        do {
            switch entry.format {
            case .pmtiles: _ = try PMTilesFile(path: entry.path)
            // Another program may lock the file. The next look tries again.
            case .mbtiles: _ = try MBTilesFile(path: entry.path, readers: 1, seconds: stillness, waits: false)
            }
            (file.isChecked, file.problem, file.served) = (true, nil, file.identity)
        } catch let error as MBTilesError {
            file.problem = error.reason
            switch error.fault {
            case .locked, .tooSlow: (file.isStill, file.since) = (false, time)
            default: file.isChecked = true
            }
        } catch let error as PMTilesFileError {
            (file.isChecked, file.problem) = (true, error.reason)
        } catch {
            (file.isChecked, file.problem) = (true, "\(error)")
        }
    }

    private borrowing func collect(_ entries: [ArchiveDirectory.Entry], into found: inout FoundArchives) {
        var named: [String: [FoundArchives.Archive]] = [:]
        for entry in entries {
            let reason: FoundArchives.Reason?
            if let name = entry.name, let complaint = complaint(name) {
                reason = .name(complaint)
            } else if let name = entry.name, case .success = entry.identity {
                let file = files[entry.path]
                if let identity = file?.served {
                    named[name, default: []].append(
                        .init(name: name, path: entry.path, format: entry.format, identity: identity))
                }
                reason = file?.problem.map { .unreadable($0) }
            } else if case .failure(.leadsOut) = entry.identity {
                reason = .leadsOut
            } else if entry.name != nil, case .failure(.unreadable(let problem)) = entry.identity {
                reason = .unreadable(problem)
            } else {
                reason = .name("it is not UTF-8")
            }
            if let reason { found.faults.append(.init(path: entry.path, reason: reason)) }
        }
        for archives in named.values {
            guard archives.count > 1 else {
                found.archives += archives
                continue
            }
            // Which of them is meant is unknown.
            for archive in archives {
                let other = archives.map(\.path).filter { $0 != archive.path }.min() ?? archive.path
                found.faults.append(.init(path: archive.path, reason: .duplicate(other)))
            }
        }
    }
}
