import Tiles

/// The archives in some directories, and the files there that are not served.
package struct FoundArchives: Hashable, Sendable {
    /// An archive that can be served.
    package struct Archive: Hashable, Sendable {
        /// The name of the file without its ending. The layer has this name.
        package let name: String
        package let path: String
        package let format: Format
        /// The content that was checked.
        let identity: FileIdentity
    }

    /// The format of an archive, by the ending of its file.
    package enum Format: String, Sendable {
        case mbtiles
        case pmtiles
    }

    /// A file or directory that is not served.
    package struct Fault: Hashable, Sendable, CustomStringConvertible {
        package let path: String
        package let reason: Reason

        package init(path: String, reason: Reason) {
            (self.path, self.reason) = (path, reason)
        }

        package var description: String { "\(PlainText.of(path, limit: 256)): \(reason)" }
    }

    /// The reason why a file or directory is not served. The description is one line without control characters.
    package enum Reason: Hashable, Sendable, CustomStringConvertible {
        /// The name of the file cannot be the name of a layer. Holds the expected names.
        case name(String)
        /// Another file has the same name. Holds the path of the other file.
        case duplicate(String)
        /// The file cannot be served. Holds the problem.
        case unreadable(String)
        /// The link leads to a file outside the directory.
        case leadsOut
        /// The directory cannot be read. Holds the problem.
        case directory(String)
        /// The directories have more archives than layers are served.
        case tooMany(limit: Int)

        package var description: String {
            switch self {
            case .name(let expected): "the name of the file cannot be the name of a layer; \(expected)"
            case .duplicate(let path):
                "the file \(PlainText.of(path, limit: 256)) has the same name; rename or remove one of them"
            case .unreadable(let problem): PlainText.of(problem, limit: 512)
            case .leadsOut: "the link leads out of the directory; only files in the directory are served"
            case .directory(let problem): "the directory cannot be read: \(problem)"
            case .tooMany(let limit): "the server has \(limit) layers, which is the maximum"
            }
        }
    }

    /// The archives, sorted by name. The names differ.
    package var archives: [Archive] = []
    /// The faults, sorted by path.
    package var faults: [Fault] = []

    package init() {}

    /// The faults of directories, and not of single files.
    package var directoryFaults: [Fault] {
        faults.filter { if case .directory = $0.reason { true } else { false } }
    }
}
