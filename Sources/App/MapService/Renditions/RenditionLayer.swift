import MapGeometry
import Raster
import Tiles

/// A layer that converts the source's tiles to another format or size (docs/spec/model.md 3.5).
///
/// Above scale 1, the source's tile may have too few pixels. The layer then assembles the tile from the four tiles one
/// zoom deeper. If there are no deeper tiles, the layer enlarges the source's tile and marks the result as enlarged.
struct RenditionLayer: TileLayer {
    let tiles: PartTiles
    /// Pixels a side at scale 1.
    let tileSize: Int
    let form: ImageForm
    let pixels: PixelWork

    func answer(
        at coordinate: TileCoordinate, scale: Int, holding validators: Validators?
    ) async -> SourceAnswer {
        let side = tileSize * scale
        let sourceScale = tiles.scale(for: scale)
        let wantsChildren = scale > 1 && coordinate.z < tiles.extent.zooms.upperBound
        // If the source's tiles are known to be too small, the tile at `coordinate` is fetched only in place of a
        // missing deeper tile.
        if wantsChildren, let usual = tiles.usualSide(scale: sourceScale), usual < side {
            return await composed(coordinate, sourceScale, side, whole: nil)
        }
        let whole = await tiles.tile(at: coordinate, scale: sourceScale)
        if wantsChildren, whole.tile.map({ min($0.width, $0.height) < side }) ?? (whole.unavailability == nil) {
            return await composed(coordinate, sourceScale, side, whole: whole)
        }
        return .result(await fitted(whole, side), whole.life.terms)
    }

    /// Converts `sourceTile` to the format of this layer and to `side` pixels a side. Uses no other tile.
    private func fitted(_ sourceTile: PartTile, _ side: Int) async -> TileResult {
        switch sourceTile.content {
        case .noTile: return .noTile
        case .unavailable(let reason): return .unavailable(reason)
        case .tile(let tile) where tile.isDone(as: form, side: side, png: pixels.encoder.png.form): return .tile(tile)
        case .tile(let tile):
            let original = tile.isDone(as: .png, side: side, png: pixels.encoder.png.form) ? tile : nil
            let form = pixels.form(form, side: side)
            return await pixels.tile(
                .made(of: [tile], enlarged: Quarter.growth(of: tile, to: side)), as: form, original: original,
                bytes: TileMemory.made(of: [tile], side: side, form, pixels.encoder)
            ) {
                let pixmap = try ImageDecoder.decode(tile.bytes)
                return Resampler.scaled(pixmap, width: side, height: side)
            }
        }
    }

    /// Assembles a tile from the four tiles one zoom deeper. If one of them is missing, the matching quarter of `whole`
    /// is enlarged instead. `whole` is the source's tile at `coordinate`, or nil if this tile was not fetched yet.
    private func composed(
        _ coordinate: TileCoordinate, _ scale: Int, _ side: Int, whole: PartTile?
    ) async -> SourceAnswer {
        guard let children = await tiles.children(of: coordinate, scale: scale) else {
            return .result(.noTile, SourceTerms())
        }
        var life = children.reduce(into: SharedLife.endless) { $0.join($1.life) }
        if children.allSatisfy({ $0.tile != nil }) {
            return await drawn(children, nil, side: side, life: life)
        }
        let given: PartTile
        if let whole { given = whole } else { given = await tiles.tile(at: coordinate, scale: scale) }
        life.join(given.life)
        let failure = children.lazy.compactMap(\.unavailability).first
        if let failure, given.tile == nil { return .result(.unavailable(failure), life.terms) }
        guard children.contains(where: { $0.tile != nil }) else {
            // The lifetimes of the missing deeper tiles count too: if one of them appears, the picture changes.
            return .result(await fitted(given, side), life.terms)
        }
        return await drawn(children, given.tile, side: side, life: life)
    }

    private func drawn(_ children: [PartTile], _ whole: Tile?, side: Int, life: SharedLife) async
        -> SourceAnswer
    {
        let quarters = children.enumerated().map { Quarter(index: $0, of: side, own: $1.tile, whole: whole) }
        let growth = quarters.map(\.growth).max() ?? 1
        let form = pixels.form(form, side: side)
        let parts = children.compactMap(\.tile) + [whole].compactMap(\.self)
        let bytes = TileMemory.made(of: parts, side: side, form, pixels.encoder)
        let result = await pixels.tile(.made(of: parts, enlarged: growth), as: form, bytes: bytes) {
            var pixmap = Pixmap(width: side, height: side)
            let isNeeded = quarters.contains(where: \.needsWhole)
            let below = try isNeeded ? whole.map { try ImageDecoder.decode($0.bytes) } : nil
            for quarter in quarters { try quarter.draw(onto: &pixmap, whole: below) }
            return pixmap
        }
        return .result(result, life.terms)
    }
}

extension Tile {
    /// Reports whether the tile already has the wanted size and format, so that no encoding is necessary. A PNG must
    /// also have the PNG form `png`, unless that is `.lean`, which every PNG satisfies. A PNG can suit `.auto` forms
    /// too, because only its pixels show whether another format is better.
    @inline(__always)
    package func isDone(as form: ImageForm, side: Int, png: PNGOptions.Form) -> Bool {
        width == side && height == side && form.takes(format) && (format != .png || png == .lean || png.holds(bytes))
    }
}

extension Tile.Derivation {
    /// Returns the facts about a tile that is made from `tiles`, of which one was enlarged by `factor`. The tile lacks
    /// the layers that one of `tiles` lacks. Nil if there is nothing to report.
    static func made(of tiles: [Tile], enlarged factor: Double) -> Tile.Derivation? {
        var missing: [String] = []
        for layer in tiles.flatMap({ $0.derivation?.missing ?? [] }) where !missing.contains(layer) {
            missing.append(layer)
        }
        guard factor > 1 || !missing.isEmpty else { return nil }
        return Tile.Derivation(upscaled: factor > 1 ? factor : nil, missing: missing)
    }
}
