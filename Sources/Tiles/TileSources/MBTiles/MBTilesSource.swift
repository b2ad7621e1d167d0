import Keys
import Tiles

/// A file of tiles (MBTiles 1.3).
public struct MBTilesSource: Sendable, Equatable {
    /// Absolute or relative to the working directory; in a file, to the file's own.
    public var path = ""

    /// The file at `path`.
    public init(path: String) {
        self.path = path
    }

    package init() {}
}

extension MBTilesSource: FileSource {
    package static let key = "mbtiles"
    package static let wording = "an mbtiles file"
    package static let describesItself = true
    package static let keys: [Key<MBTilesSource>] = [
        Key(key, path: \.path, "a file", "MBTiles file").locating(\.path)
    ]
    package static var tileSizes: ValueRule<Int> { .anyTileSize }

    package var identity: [String] { [path] }

    func checkFile() throws -> String? { try MBTilesLayer.check(path: path) }
}

/// A source that is one file on this machine.
protocol FileSource: KeyedSettings, SourceSettings {
    /// Throws what is wrong with the file. Returns what only looks wrong, in a sentence; nil if nothing does. Opens the file, and so
    /// may block.
    func checkFile() throws -> String?
}

extension FileSource {
    package var isLocal: Bool { true }

    package func check(_ section: inout MappingReader) {
        reportProblems(&section, unlessUnsound: [Self.key])
    }

    package func problems() -> [SourceProblem] {
        do {
            let doubt = try checkFile()
            return doubt.map { [SourceProblem(key: Self.key, message: $0, isWarning: true)] } ?? []
        } catch {
            return [SourceProblem(key: Self.key, message: "\(error)")]
        }
    }
}
