import Keys
import Tiles

/// The settings of a layer that serves tiles from an MBTiles file (MBTiles 1.3).
public struct MBTilesSource: Sendable, Equatable {
    /// Path of the file. A relative path starts at the working directory, or in a configuration file at the directory
    /// of that file.
    public var path = ""

    /// Makes a source of the file at `path`.
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
    /// Checks the file. Throws if it cannot be used. Returns a warning as a sentence, or nil if there is none. Opens
    /// the file, so it may block.
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
