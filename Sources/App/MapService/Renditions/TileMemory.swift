import Configuration
import EventLog
import Logging
import Raster
import Tiles

/// Estimates the number of bytes that are needed to make a tile, so that the memory is reserved before the work begins.
/// The estimates come from measurements (docs/spec/threats.md 2). Thread rule: a value.
struct TileMemory: Sendable {
    /// Maximum number of bytes that one tile may need.
    let most: Int

    /// Bytes besides the pixels: rows, tables of a codec, compressed output.
    private static let base = 256 << 10
    /// Bytes per pixel for drawing, besides the pixels. Areas and lines with many points need the most.
    private static let drawing = 4

    /// Bytes for a tile of `side` pixels a side that a generator or a program draws, and for its PNG.
    static func drawn(side: Int, _ encoder: ImageEncoder) -> Int {
        let pixels = side * side
        return base + pixels * 4 + max(pixels * drawing, encoding(pixels, .png, encoder))
    }

    /// Bytes for a tile of `side` pixels a side in `form`, which is made from `tiles`. Counts the decoding of the
    /// largest of `tiles`.
    static func made(of tiles: [Tile], side: Int, _ form: ImageForm, _ encoder: ImageEncoder) -> Int {
        let pixels = side * side
        let decoding = tiles.map(decoded).max() ?? 0
        let isWhole = tiles.count == 1 && tiles.allSatisfy { $0.width == side && $0.height == side }
        guard !isWhole else { return base + max(decoding, pixels * 4 + encoding(pixels, form, encoder)) }
        return base + decoding + pixels * 4 + encoding(pixels, form, encoder)
    }

    /// Bytes to decode `tile`, including its pixels.
    static func decoded(_ tile: Tile) -> Int {
        ImageDecoder.memory(ofPixels: tile.width * tile.height, as: tile.format)
    }

    /// Bytes for a tile of `side` pixels a side that is composed of `tiles`, and for its PNG. All tiles are decoded
    /// before the first one is drawn.
    static func composed(of tiles: [Tile], side: Int, _ encoder: ImageEncoder) -> Int {
        let pixels = side * side
        let layers = tiles.reduce(0) { sum, tile in
            sum + tile.width * tile.height * 4 + (tile.width == side && tile.height == side ? 0 : pixels * 4)
        }
        let decoding = tiles.map { decoded($0) - $0.width * $0.height * 4 }.max() ?? 0
        return base + layers + max(decoding, pixels * 4 + encoding(pixels, .png, encoder))
    }

    private static func encoding(_ pixels: Int, _ form: ImageForm, _ encoder: ImageEncoder) -> Int {
        pixels * encoder.memory(ofPixels: pixels, as: form, isOpaque: false)
    }
}

// MARK: What fits

extension TileMemory {
    /// The origin of the pixels of a layer's tiles.
    enum Kind {
        case drawn
        /// Drawn from this number of layers over one another.
        case composed(Int)
        case sent
    }

    /// Maximum number of pixels a side that a tile of any source may have (docs/spec/threats.md 2).
    static let largestSide = 2_048

    /// Returns the scales that a layer can offer with the available memory. Scale 1 is always included. `leftOut` has
    /// the scales and formats that need too much memory, such as `@4x` or `@3x.webp`. If `leftOut` has `.png`, there is
    /// not even enough memory for a tile of scale 1. `tileSize` is in pixels a side at scale 1.
    func offer(tileSize: Int, of kind: Kind, _ encoder: ImageEncoder) -> (scales: ClosedRange<Int>, leftOut: [String]) {
        let largest = max(1, min(4, Self.largestSide / max(tileSize, 1)))
        let fitting = (1...largest).last { needed(side: tileSize * $0, of: kind, encoder) <= most } ?? 0
        let leftOut = (1...largest).flatMap { scale -> [String] in
            let mark = scale == 1 ? "" : "@\(scale)x"
            guard scale <= fitting else { return [mark.isEmpty ? ".png" : mark] }
            // Without memory for a PNG, the layer has no tiles of this scale at all.
            let others = ImageForm.named.filter { $0.form != .png }
            let lacking = others.filter { !fits(side: tileSize * scale, in: $0.form, encoder) }
            return lacking.map { "\(mark).\($0.format.suffix)" }
        }
        return (1...max(fitting, 1), leftOut)
    }

    /// Returns the bytes for a tile of `side` pixels a side as PNG.
    private func needed(side: Int, of kind: Kind, _ encoder: ImageEncoder) -> Int {
        let pixels = side * side
        switch kind {
        case .drawn: return Self.drawn(side: side, encoder)
        case .composed(let count):
            return Self.base + pixels * 4 * (max(count, 1) + 1) + Self.encoding(pixels, .png, encoder)
        case .sent: return Self.base + pixels * (4 + 4) + Self.encoding(pixels, .png, encoder)
        }
    }

    /// Reports whether memory can be enough to encode a decoded tile of `side` pixels a side in `form`.
    func fits(side: Int, in form: ImageForm, _ encoder: ImageEncoder) -> Bool {
        Self.base + side * side * 4 + Self.encoding(side * side, form, encoder) <= most
    }

    /// Returns the scales and formats that need too much memory, for each layer and map of `configuration` with such
    /// scales or formats. Uses only the configuration and opens no source.
    func leftOut(of configuration: Configuration) -> [(id: String, leftOut: [String])] {
        let sizes = Dictionary(configuration.layers.map { ($0.id, $0.tileSize) }) { first, _ in first }
        return (configuration.layers + configuration.maps).compactMap { settings in
            var encoder = ImageEncoder(settings)
            encoder.mostMemory = most
            let leftOut = offer(tileSize: Self.tileSize(of: settings, sizes), of: Kind(settings.source), encoder)
                .leftOut
            return leftOut.isEmpty ? nil : (settings.id, leftOut)
        }
    }

    private static func tileSize(of settings: LayerSettings, _ sizes: [String: Int]) -> Int {
        guard case .map(let map) = settings.source, settings.explicit.tileSize == nil else { return settings.tileSize }
        return map.layerIDs.allSatisfy { sizes[$0] == 512 } ? 512 : 256
    }
}

extension TileMemory.Kind {
    init(_ source: LayerSource) {
        if case .map(let map) = source {
            // With `together`, the map also draws one tile with the labels of all layers. This tile counts as a layer.
            self = .composed(Set(map.layerIDs).count + (map.labels == .together ? 1 : 0))
        } else {
            self = type(of: source.settings).isDrawn ? .drawn : .sent
        }
    }
}

extension EventLog {
    /// Logs the scales and formats that `layers` do not offer. A layer that had the same list in `before` is not logged
    /// again.
    func recordLeftOut(of layers: [ServedLayer], before: LayerTable, most: Int) {
        guard layers.contains(where: { !$0.leftOut.isEmpty }) else { return }
        let known = Dictionary(before.layers.map { ($0.id, $0.leftOut) }) { first, _ in first }
        for layer in layers where !layer.leftOut.isEmpty && known[layer.id] != layer.leftOut {
            record(
                "scale_left_out", layer: layer.id,
                ["scales": .string(layer.leftOut.joined(separator: " ")), "tile_bytes": .stringConvertible(most)])
        }
    }
}
