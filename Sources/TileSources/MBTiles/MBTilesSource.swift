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

extension MBTilesSource: FileSource {
    package static let key = "mbtiles"
    package static let wording = "an mbtiles file"
    package static let describesItself = true
    package static let keys: [Key<MBTilesSource>] = [
        Key(key, path: \.path, "a file", "the file of tiles, absolute or relative to the working directory")
    ]
    package static var tileSizes: ValueRule<Int> { .anyTileSize }

    package var identity: [String] { [path] }

    func checkFile() throws { try MBTilesLayer.check(path: path) }
}
