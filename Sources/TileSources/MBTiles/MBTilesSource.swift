import Settings

/// A file of tiles (MBTiles 1.3).
public struct MBTilesSource: Sendable, Equatable {
    /// Absolute or relative to the working directory.
    public var path = ""

    /// The file at `path`.
    public init(path: String) {
        self.path = path
    }

    package init() {}
}

extension MBTilesSource: KeyedSettings, SourceSettings {
    package static let key = "mbtiles"
    package static let wording = "an mbtiles file"
    package static let describesItself = true
    package static let keys: [Key<MBTilesSource>] = [
        Key(key, path: \.path, "a file", "the file of tiles, absolute or relative to the working directory")
    ]
    package static var tileSizes: ValueRule<Int> { .anyTileSize }

    package func check(_ section: inout MappingReader) {
        reportProblems(&section, unlessUnsound: [Self.key])
    }

    package var isLocal: Bool { true }
    package var identity: [String] { [path] }

    package func problems() -> [SourceProblem] {
        do throws(MBTilesError) {
            try MBTilesLayer.check(path: path)
            return []
        } catch {
            return [SourceProblem(key: Self.key, message: "\(error)")]
        }
    }
}
