import Files
import Glibc
import Tiles

/// The place to which an export writes its tiles: an MBTiles, PMTiles or ZIP file, or a directory.
package struct ExportTarget: Hashable, Sendable {
    /// The kinds of archives.
    package enum Kind: String, CaseIterable, Sendable {
        case mbtiles, pmtiles, zip, directory
    }

    package let kind: Kind
    /// The path, without `/` at the end.
    package let path: String
    /// True if the export may replace an existing file, or files in an existing directory.
    package let replaces: Bool

    /// Finds the kind of the target from the ending of `path`: `.mbtiles`, `.pmtiles` or `.zip`, in upper or lower
    /// case. A path without an ending, or with `/` at the end, is a directory. Checks that the parent directory exists,
    /// and that no file prevents the export, but writes nothing. Throws the reason if a check fails.
    package init(_ path: String, replaces: Bool) throws(ExportTargetError) {
        guard !path.isEmpty, !path.utf8.contains(0) else { throw .unnamed }
        let isDirectory = path.hasSuffix("/")
        let trimmed = Self.trimmed(path)
        let kind = isDirectory ? .directory : try Self.kind(of: trimmed)
        (self.kind, self.path, self.replaces) = (kind, trimmed, replaces)
        try checkParent()
        try checkTarget()
    }

    private static func trimmed(_ path: String) -> String {
        var path = path[...]
        while path.count > 1, path.hasSuffix("/") { path = path.dropLast() }
        return String(path)
    }

    private static func kind(of path: String) throws(ExportTargetError) -> Kind {
        let name = path.split(separator: "/").last ?? ""
        // A point at the front hides a file and begins no ending. The names `.` and `..` are directories.
        guard let point = name.lastIndex(of: "."), point != name.startIndex, name != ".." else { return .directory }
        let ending = name[name.index(after: point)...]
        guard let kind = Kind(rawValue: ending.lowercased()), kind != .directory else {
            throw .unknownEnding(path: path, ending: ".\(ending)")
        }
        return kind
    }

    private func checkParent() throws(ExportTargetError) {
        let parent =
            path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        var status = stat()
        guard stat(parent, &status) == 0 else {
            throw errno == ENOENT
                ? .noParent(path: path, parent: parent)
                : .inaccessible(path: parent, .system(call: "stat", errno: errno))
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw .inaccessible(path: parent, .system(call: "stat", errno: ENOTDIR))
        }
    }

    private func checkTarget() throws(ExportTargetError) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            // A symbolic link that leads nowhere is in the way too.
            if errno == ENOENT, lstat(path, &status) != 0 { return }
            throw .inaccessible(path: path, .system(call: "stat", errno: errno))
        }
        let found = FileError.Kind(status.st_mode)
        switch kind {
        case .mbtiles, .pmtiles, .zip:
            if let found { throw .wrongFile(path: path, expected: "a regular file", found: "\(found)") }
            guard replaces else { throw .exists(path: path) }
        case .directory:
            guard found == .directory else {
                throw .wrongFile(path: path, expected: "a directory", found: found.map { "\($0)" } ?? "a file")
            }
            let isFree = try isEmpty()
            guard replaces || isFree else { throw .notEmpty(path: path) }
        }
    }

    private func isEmpty() throws(ExportTargetError) -> Bool {
        do throws(TileArchiveError) {
            return try DirectoryWriter.isEmpty(path)
        } catch {
            guard case .unwritable(_, let reason) = error else { throw .notEmpty(path: path) }
            throw .inaccessible(path: path, reason)
        }
    }
}

/// The reason why an export cannot write to a path. The error's description is one line without control characters. The
/// description has the path, except in the case `unnamed`.
package enum ExportTargetError: Error, Hashable, Sendable {
    /// The path is empty or contains a zero byte.
    case unnamed
    /// No kind of archive has this ending.
    case unknownEnding(path: String, ending: String)
    /// The directory `parent`, which should contain the target, does not exist.
    case noParent(path: String, parent: String)
    /// A file exists at the path.
    case exists(path: String)
    /// The directory has files.
    case notEmpty(path: String)
    /// A file or directory of another kind exists at `path`. `expected` and `found` are the kinds in words, such as `a
    /// directory`.
    case wrongFile(path: String, expected: String, found: String)
    /// The system refuses access.
    case inaccessible(path: String, FileError)
}

extension ExportTargetError: CustomStringConvertible {
    package var description: String { PlainText.of(sentence, limit: 512) }

    private var sentence: String {
        switch self {
        case .unnamed: "the target has no name; expected a path that ends in .mbtiles, .pmtiles, .zip or /"
        case .unknownEnding(let path, let ending):
            "\(path): unknown ending \(ending); expected .mbtiles, .pmtiles or .zip. For a directory, write \(path)/"
        case .noParent(let path, let parent): "\(path): the directory \(parent) does not exist; make it first"
        case .exists(let path): "\(path) exists; choose another name, or allow to replace the file"
        case .notEmpty(let path):
            "\(path) is a directory that is not empty; choose another directory, or allow to replace its files"
        case .wrongFile(let path, let expected, let found): "\(path): expected \(expected), found \(found)"
        case .inaccessible(let path, let error): "\(path): \(error)"
        }
    }
}
