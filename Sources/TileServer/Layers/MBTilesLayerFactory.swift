import Configuration

extension TileServer {
    /// What is wrong with where a layer's tiles come from, each in a sentence; empty where nothing is. Opens an MBTiles
    /// file, and so may block.
    public static func problems(inSource source: LayerSource) -> [String] {
        switch source {
        case .url(let source): problems(inTemplateOf: source)
        case .mbtiles, .generator, .embedded: []
        }
    }
}
