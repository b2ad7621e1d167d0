import Tiles

/// The result of `ArchiveDirectories.look`: the archives that can be served, and the faults of files and directories.
package struct FoundArchives: Hashable, Sendable {
    /// An archive that can be served.
    package struct Archive: Hashable, Sendable {
        /// The name of the file without its ending. The layer of the archive has the same name.
        package let name: String
        package let path: String
        package let format: Format
        /// The identity of the content that passed the check.
        let identity: FileIdentity
    }

    /// The file format of an archive. The ending of the file's name decides the format.
    package enum Format: String, Sendable {
        case mbtiles
        case pmtiles
    }

    /// A file or directory with a problem, and the reason. An archive with a fault may still be served with the content
    /// of an earlier check.
    package struct Fault: Hashable, Sendable, CustomStringConvertible {
        package let path: String
        package let reason: Reason

        package init(path: String, reason: Reason) {
            (self.path, self.reason) = (path, reason)
        }

        package var description: String { "\(PlainText.of(path, limit: 256)): \(reason)" }
    }

    /// The reason why a file or directory has a fault. The description is one line without control characters.
    package enum Reason: Hashable, Sendable, CustomStringConvertible {
        /// The name of the file cannot be the name of a layer. The associated value says why, for example that the name
        /// is not UTF-8.
        case name(String)
        /// Another archive has the same name without its ending, so neither file is served. The associated value is the
        /// path of the other file.
        case duplicate(String)
        /// The file cannot be opened or is not a valid archive. The associated value is the problem as a text.
        case unreadable(String)
        /// The file is a symbolic link to a file outside the directory. Such a file is not served.
        case leadsOut
        /// The directory cannot be read. The associated value is the problem as a text.
        case directory(String)
        /// The server already has the maximum number of layers and maps, which is `limit`. The archive gets no layer.
        case tooMany(limit: Int)

        package var description: String {
            switch self {
            case .name(let expected): "the name of the file cannot be the name of a layer; \(expected)"
            case .duplicate(let path):
                "the file \(PlainText.of(path, limit: 256)) has the same name; rename or remove one of them"
            case .unreadable(let problem): PlainText.of(problem, limit: 512)
            case .leadsOut: "the link leads out of the directory; only files in the directory are served"
            case .directory(let problem): "the directory cannot be read: \(problem)"
            case .tooMany(let limit):
                "the server already has \(limit) layers and maps, the maximum; remove one to serve this file"
            }
        }
    }

    /// The archives that can be served, in ascending order of their names. No two archives have the same name.
    package var archives: [Archive] = []
    /// The faults of files and directories, sorted by path.
    package var faults: [Fault] = []

    package init() {}

    /// The faults of directories. Faults of files are left out.
    package var directoryFaults: [Fault] {
        faults.filter { if case .directory = $0.reason { true } else { false } }
    }
}
