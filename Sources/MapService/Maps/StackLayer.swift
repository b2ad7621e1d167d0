import MapGeometry
import Raster
import TileCache
import Tiles

/// The layers of a map, drawn over one another (docs/spec/model.md 3.1).
///
/// Asks them from the top down, as far as the first tile that hides what is below it. Their tiles come by way of the
/// cache.
struct StackLayer: RevalidatingTileLayer {
    /// From the top down.
    let layers: [DrawnLayer]
    let loader: TileLoader
    /// Pixels a side at scale 1.
    let tileSize: Int
    /// Whether the tile is drawn without a layer that is unavailable; otherwise it is unavailable too.
    let skipsFailures: Bool
    let pixels: PixelWork

    func answer(
        at coordinate: TileCoordinate, scale: Int, holding validators: Validators?
    ) async -> SourceAnswer {
        let side = tileSize * scale
        var found = await tiles(at: coordinate, side: side)
        var life = found.reduce(into: SharedLife.endless) { $0.join($1.source.life) }
        if Self.untouched(found, side) == nil {
            found = await decoded(found, isAdmitted: found.contains { $0.pixmap != nil })
        }
        let failures = found.filter { $0.failure != nil }
        let drawable = found.filter { $0.source.tile != nil && $0.failure == nil }
        if let first = failures.first?.failure {
            guard skipsFailures, !drawable.isEmpty else { return .result(.unavailable(first), life.terms) }
            life.forbidKeeping()
        }
        guard !drawable.isEmpty else { return .result(.noTile, life.terms) }
        let missing = failures.map(\.layer.layer.id)
        return .result(await composed(drawable, side: side, missing: missing), life.terms)
    }

    /// The layers' tiles, from the top down as far as one hides what is below it.
    private func tiles(at coordinate: TileCoordinate, side: Int) async -> [LayerTile] {
        var found: [LayerTile] = []
        var next = 0
        while next < layers.count {
            // A layer whose last tile was not opaque is fetched together with those below it.
            let end = layers[next...].firstIndex(where: \.mayHide).map { $0 + 1 } ?? layers.count
            for tile in await fetch(layers[next..<end], coordinate, side) {
                let isLast = found.count + 1 == layers.count
                let tile = isLast ? tile : await seenThrough(tile)
                found.append(tile)
                if tile.hides { return found }
            }
            next = end
        }
        return found
    }

    private func fetch(_ layers: ArraySlice<DrawnLayer>, _ coordinate: TileCoordinate, _ side: Int) async -> [LayerTile]
    {
        await withTaskGroup(of: (Int, LayerTile).self) { group in
            for (index, layer) in layers.enumerated() {
                group.addTask { (index, LayerTile(layer, await layer.tile(at: coordinate, side: side, loader))) }
            }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    /// The same, with `hides` set.
    private func seenThrough(_ found: LayerTile) async -> LayerTile {
        guard found.layer.canHide, let tile = found.source.tile else { return found }
        var found = found
        // Of other formats only decoding tells whether they can be drawn at all.
        if tile.format == .png, tile.isCertainlyOpaque {
            found.hides = true
        } else {
            found = await decoded([found])[0]
            found.hides = found.pixmap?.isOpaque ?? false
        }
        found.layer.note(hides: found.hides)
        return found
    }

    /// The only tile there is, where it can be sent unchanged; nil otherwise.
    private static func untouched(_ found: [LayerTile], _ side: Int) -> Tile? {
        let tiles = found.filter { $0.source.tile != nil && $0.failure == nil }
        guard tiles.count == 1, tiles[0].layer.opacity == 1, let tile = tiles[0].source.tile, tile.width == side,
            tile.height == side
        else { return nil }
        return tile
    }

    /// The same with the pixels of all tiles; a layer whose tile cannot be decoded is unavailable.
    /// `isAdmitted`: other work was done for the map's tile.
    private func decoded(_ found: [LayerTile], isAdmitted: Bool = false) async -> [LayerTile] {
        let result = try? await pixels.queue.run(
            maxWait: pixels.maxWait, for: pixels.layer, isAdmitted: isAdmitted
        ) {
            found.map { found in
                guard found.pixmap == nil, let tile = found.source.tile else { return found }
                var found = found
                do {
                    found.pixmap = try ImageDecoder.decode(tile.bytes)
                } catch {
                    pixels.onError(error)
                    found.isBroken = true
                }
                return found
            }
        }
        if let result { return result }
        // The queue is full.
        return found.map { found in
            var found = found
            found.isRefused = found.source.tile != nil && found.pixmap == nil
            return found
        }
    }

    /// The tile of `drawable`, at least one, from the top down.
    private func composed(_ drawable: [LayerTile], side: Int, missing: [String]) async -> TileResult {
        let growth = drawable.compactMap { $0.source.tile?.derivation?.upscaled }.max()
        let derivation =
            growth == nil && missing.isEmpty
            ? nil : Tile.Derivation(upscaled: growth, missing: Array(missing.prefix(Self.mostNamed)))
        if let tile = Self.untouched(drawable, side) {
            return .tile(
                Tile(
                    bytes: tile.bytes, format: tile.format, width: side, height: side,
                    lastModified: missing.isEmpty ? tile.lastModified : nil, derivation: derivation))
        }
        // Its tiles have been decoded: who got so far is served.
        var pixels = pixels
        pixels.isAdmitted = true
        return await pixels.tile(derivation, as: .png) {
            var compositor = Compositor(width: side, height: side)
            for found in drawable.reversed() {
                guard let pixmap = found.pixmap else { continue }
                let fitted =
                    pixmap.width == side && pixmap.height == side
                    ? pixmap : Resampler.scaled(pixmap, width: side, height: side)
                compositor.add(fitted, opacity: found.layer.opacity, blend: found.layer.blend)
            }
            return compositor.composed()
        }
    }

    /// A field line has room for so many names.
    private static let mostNamed = 16
}

/// What a layer has at one coordinate.
private struct LayerTile: Sendable {
    let layer: DrawnLayer
    let source: SourceTile
    /// It is opaque: nothing below it can be seen.
    var hides = false
    /// The tile's pixels, where they were needed already.
    var pixmap: Pixmap?
    /// Its image cannot be decoded.
    var isBroken = false
    /// It was not decoded, because the queue was full.
    var isRefused = false

    init(_ layer: DrawnLayer, _ source: SourceTile) {
        self.layer = layer
        self.source = source
    }

    /// Why it cannot be drawn; nil where it can, or where there is nothing to draw.
    var failure: Unavailability? {
        isBroken ? .notAnImage : isRefused ? .overloaded : source.unavailability
    }
}

extension Tile {
    /// Whether the encoded image says that it has no transparency. False where only its pixels could tell.
    fileprivate var isCertainlyOpaque: Bool {
        // A header that cannot be read leaves it to the pixels.
        (try? ImageHeader(parsing: bytes))?.isDeclaredOpaque ?? false
    }
}
