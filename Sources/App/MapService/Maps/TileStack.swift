import Raster
import Runtime
import Tiles

/// The tile of one layer at a coordinate, or the reason why the layer has no tile there.
struct LayerTile: Sendable {
    let layer: DrawnLayer
    let source: PartTile
    /// True if the tile is opaque and hides everything below.
    var hides = false
    /// The decoded pixels. Before `decode`, only if they were needed early and memory had room to keep them.
    var pixmap: Pixmap?
    /// The memory that is reserved for `pixmap`.
    private(set) var reservation: MemoryReservation?
    /// True if the tile's image cannot be decoded.
    var isBroken = false
    /// True if the tile was not decoded because the server was overloaded.
    var isRefused = false

    /// The reason why the tile is unavailable or cannot be drawn. Nil if the tile can be drawn, or if the layer has no
    /// tile there.
    var failure: Unavailability? {
        isBroken ? .notAnImage : isRefused ? .overloaded : source.unavailability
    }

    /// Keeps the pixels while other tiles are fetched, if `memory` has room for them. Otherwise the tile is decoded
    /// again later.
    mutating func keep(_ pixmap: Pixmap, in memory: MemoryBudget?) {
        if let memory {
            guard let reservation = memory.reservation(of: pixmap.bytes.count, for: .images) else { return }
            self.reservation = reservation
        }
        self.pixmap = pixmap
    }
}

/// The tiles of a map's layers at one coordinate, the top layer first, and the image that was drawn from them.
struct TileStack: Sendable {
    private var tiles: [LayerTile]
    /// The drawn image. Nil if no tile had to be drawn.
    private var image: EncodedImage?

    /// Maximum number of missing layers that a response header names.
    private static let mostNamed = 16

    init(_ tiles: [LayerTile]) {
        self.tiles = tiles
    }

    /// Returns the only drawable tile of `tiles` if it can be sent unchanged, else nil.
    static func untouched(_ tiles: [LayerTile], _ side: Int) -> Tile? {
        let drawable = tiles.filter { $0.source.tile != nil && $0.failure == nil }
        guard drawable.count == 1, drawable[0].layer.opacity == 1, let tile = drawable[0].source.tile,
            tile.width == side, tile.height == side
        else { return nil }
        return tile
    }

    private var drawable: [LayerTile] { tiles.filter { $0.source.tile != nil && $0.failure == nil } }
    private var failures: [LayerTile] { tiles.filter { $0.failure != nil } }

    /// Decodes the tiles that are not decoded yet. Calls `onError` for each tile that cannot be decoded.
    mutating func decode(_ onError: (any Error) -> Void) {
        for index in tiles.indices where tiles[index].pixmap == nil && tiles[index].failure == nil {
            guard let tile = tiles[index].source.tile else { continue }
            do {
                tiles[index].pixmap = try ImageDecoder.decode(tile.bytes)
            } catch {
                onError(error)
                tiles[index].isBroken = true
            }
        }
    }

    /// Draws the decoded tiles into one image and frees their pixels. Draws nothing if the result is known without an
    /// image, for example if one tile can be sent unchanged.
    mutating func draw(side: Int, skipsFailures: Bool, encode: (Pixmap) throws -> EncodedImage) rethrows {
        defer { for index in tiles.indices { tiles[index].pixmap = nil } }
        guard failures.isEmpty || skipsFailures, Self.untouched(tiles, side) == nil else { return }
        var compositor = Compositor(width: side, height: side)
        var isEmpty = true
        for found in drawable.reversed() {
            guard let pixmap = found.pixmap else { continue }
            isEmpty = false
            compositor.add(
                Resampler.scaled(pixmap, width: side, height: side), opacity: found.layer.opacity,
                blend: found.layer.blend)
        }
        if !isEmpty { image = try encode(compositor.composed()) }
    }

    /// Returns the tile of the map, with `side` pixels a side. `isPartial` is true if the tile was drawn without a
    /// layer that is unavailable now.
    func result(side: Int, skipsFailures: Bool) -> (tile: TileResult, isPartial: Bool) {
        let (drawable, failures) = (drawable, failures)
        if let first = failures.first?.failure {
            guard skipsFailures, !drawable.isEmpty else { return (.unavailable(first), false) }
        }
        guard !drawable.isEmpty else { return (.noTile, false) }
        let missing = failures.map(\.layer.id)
        let growth = drawable.compactMap { $0.source.tile?.derivation?.upscaled }.max()
        let derivation =
            growth == nil && missing.isEmpty
            ? nil : Tile.Derivation(upscaled: growth, missing: Array(missing.prefix(Self.mostNamed)))
        if let tile = Self.untouched(tiles, side) {
            return (
                .tile(
                    Tile(
                        bytes: tile.bytes, format: tile.format, width: side, height: side,
                        lastModified: missing.isEmpty ? tile.lastModified : nil, derivation: derivation)),
                !missing.isEmpty
            )
        }
        guard let image else { return (.unavailable(.overloaded), false) }
        return (.tile(Tile(image, width: side, height: side, derivation: derivation)), !missing.isEmpty)
    }
}
