import Keys

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
        Key(key, path: \.path, "a file", "the file of tiles").locating(\.path)
    ]
    package static var tileSizes: ValueRule<Int> { .anyTileSize }

    package var identity: [String] { [path] }

    func checkFile() throws -> String? { try MBTilesLayer.check(path: path) }
}
