import Tiles

/// The result of a look at some directories: the archives that can be served, and the files and directories that
/// cannot.
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
        /// The name of the file cannot be the name of a layer. Holds the reason as a sentence.
        case name(String)
        /// Another archive would have the same layer name. Holds the path of the other file.
        case duplicate(String)
        /// The file cannot be opened or is not a valid archive. Holds the problem as a sentence.
        case unreadable(String)
        /// The file is a symbolic link to a file outside the directory.
        case leadsOut
        /// The directory cannot be read. Holds the problem as a sentence.
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

    /// The archives, sorted by name. The names differ.
    package var archives: [Archive] = []
    /// The faults, sorted by path.
    package var faults: [Fault] = []

    package init() {}

    /// The faults of directories, without the faults of files.
    package var directoryFaults: [Fault] {
        faults.filter { if case .directory = $0.reason { true } else { false } }
    }
}
