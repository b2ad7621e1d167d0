import Configuration
import EventLog
import Logging
import Raster
import Tiles

/// Bytes that a tile takes while it is made, as measured (docs/spec/threats.md 2). They are reserved before the work begins.
///
/// Thread rule: a value.
struct TileMemory: Sendable {
    /// The most that one tile may take.
    let most: Int

    /// Bytes beside the pixels: rows, a codec's tables, compressed output.
    private static let base = 256 << 10
    /// Bytes a pixel that drawing takes beside the pixels. Areas and lines of many points take most.
    private static let drawing = 4

    /// A tile of `side` pixels a side that a generator or a program draws, and its PNG.
    static func drawn(side: Int, _ encoder: ImageEncoder) -> Int {
        let pixels = side * side
        return base + pixels * 4 + max(pixels * drawing, encoding(pixels, .png, encoder))
    }

    /// A tile of `side` pixels a side in `form`, made of `tiles`, which are decoded one after the other.
    static func made(of tiles: [Tile], side: Int, _ form: ImageForm, _ encoder: ImageEncoder) -> Int {
        let pixels = side * side
        let decoding = tiles.map(decoded).max() ?? 0
        let isWhole = tiles.count == 1 && tiles.allSatisfy { $0.width == side && $0.height == side }
        guard !isWhole else { return base + max(decoding, pixels * 4 + encoding(pixels, form, encoder)) }
        return base + decoding + pixels * 4 + encoding(pixels, form, encoder)
    }

    /// Bytes to decode `tile`, its pixels included.
    static func decoded(_ tile: Tile) -> Int {
        ImageDecoder.memory(ofPixels: tile.width * tile.height, as: tile.format)
    }

    /// A tile of `side` pixels a side that is composed of `tiles`, and its PNG. All are decoded before any is drawn.
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
    /// Where the pixels of a layer's tiles come from.
    enum Kind {
        case drawn
        /// This many layers, over one another.
        case composed(Int)
        case sent
    }

    /// Pixels: the largest tile that any source may have (docs/spec/threats.md 2).
    static let largestSide = 2_048

    /// The scales that a layer offers, always with scale 1, and the scales and formats for which memory does not suffice:
    /// `@4x`, `@3x.webp`, or `.png` for the tiles of scale 1. `tileSize`: pixels a side at scale 1.
    func offer(tileSize: Int, of kind: Kind, _ encoder: ImageEncoder) -> (scales: ClosedRange<Int>, leftOut: [String]) {
        let largest = max(1, min(4, Self.largestSide / max(tileSize, 1)))
        let fitting = (1...largest).last { needed(side: tileSize * $0, of: kind, encoder) <= most } ?? 0
        let leftOut = (1...largest).flatMap { scale -> [String] in
            let mark = scale == 1 ? "" : "@\(scale)x"
            guard scale <= fitting else { return [mark.isEmpty ? ".png" : mark] }
            // Without room for a PNG there are no tiles of the scale at all.
            let others = ImageForm.named.filter { $0.form != .png }
            let lacking = others.filter { !fits(side: tileSize * scale, in: $0.form, encoder) }
            return lacking.map { "\(mark).\($0.format.suffix)" }
        }
        return (1...max(fitting, 1), leftOut)
    }

    /// Bytes of a tile of `side` pixels a side, as PNG.
    private func needed(side: Int, of kind: Kind, _ encoder: ImageEncoder) -> Int {
        let pixels = side * side
        switch kind {
        case .drawn: return Self.drawn(side: side, encoder)
        case .composed(let count):
            return Self.base + pixels * 4 * (max(count, 1) + 1) + Self.encoding(pixels, .png, encoder)
        case .sent: return Self.base + pixels * (4 + 4) + Self.encoding(pixels, .png, encoder)
        }
    }

    /// Whether memory ever suffices to encode a tile of `side` pixels a side in `form`, once it is decoded.
    func fits(side: Int, in form: ImageForm, _ encoder: ImageEncoder) -> Bool {
        Self.base + side * side * 4 + Self.encoding(side * side, form, encoder) <= most
    }

    /// The scales and formats that layers and maps of `configuration` do not offer, by id. Lists only layers with such scales
    /// or formats. Judges by the configuration alone, without opening a source.
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
            self = .composed(Set(map.layerIDs).count)
        } else {
            self = type(of: source.settings).isDrawn ? .drawn : .sent
        }
    }
}

extension EventLog {
    /// Logs the scales and formats that `layers` do not offer, except for layers that had the same ones left out in `before`.
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
