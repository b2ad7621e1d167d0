import MapGeometry
import Raster
import Tiles

/// A layer's tiles in the form and the size that were asked for, made of those that its source has (docs/spec/model.md 3.5).
///
/// Above scale 1, what the source does not have large enough is put together from the four tiles one zoom deeper; where
/// there are none, the tile grows, and says so.
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
        // Where tiles are known to be too small, the one that would grow is not even fetched.
        if wantsChildren, let usual = tiles.usualSide(scale: sourceScale), usual < side {
            return await composed(coordinate, sourceScale, side, whole: nil)
        }
        let whole = await tiles.tile(at: coordinate, scale: sourceScale)
        if wantsChildren, whole.tile.map({ min($0.width, $0.height) < side }) ?? (whole.unavailability == nil) {
            return await composed(coordinate, sourceScale, side, whole: whole)
        }
        return .result(await fitted(whole, side), whole.life.terms)
    }

    /// `sourceTile` alone, in the right size.
    private func fitted(_ sourceTile: PartTile, _ side: Int) async -> TileResult {
        switch sourceTile.content {
        case .noTile: return .noTile
        case .unavailable(let reason): return .unavailable(reason)
        case .tile(let tile) where tile.isDone(as: form, side: side, png: pixels.encoder.png.form): return .tile(tile)
        case .tile(let tile):
            let original = tile.isDone(as: .png, side: side, png: pixels.encoder.png.form) ? tile : nil
            let form = pixels.form(form, side: side)
            return await pixels.tile(
                .upscaled(Quarter.growth(of: tile, to: side)), as: form, original: original,
                bytes: TileMemory.made(of: [tile], side: side, form, pixels.encoder)
            ) {
                let pixmap = try ImageDecoder.decode(tile.bytes)
                return Resampler.scaled(pixmap, width: side, height: side)
            }
        }
    }

    /// The four tiles below `coordinate`, side by side. Where one is missing, that quarter of `whole` grows instead.
    private func composed(
        _ coordinate: TileCoordinate, _ scale: Int, _ side: Int, whole: PartTile?
    ) async -> SourceAnswer {
        guard let children = await tiles.children(of: coordinate, scale: scale) else {
            return .result(.noTile, SourceTerms())
        }
        var life = children.reduce(into: SharedLife.endless) { $0.join($1.life) }
        if children.allSatisfy({ $0.tile != nil }) {
            return await drawn(children, nil, side, life)
        }
        let given: PartTile
        if let whole { given = whole } else { given = await tiles.tile(at: coordinate, scale: scale) }
        life.join(given.life)
        let failure = children.lazy.compactMap(\.unavailability).first
        if let failure, given.tile == nil { return .result(.unavailable(failure), life.terms) }
        guard children.contains(where: { $0.tile != nil }) else {
            // The times of the children count too: where they come to be, the picture changes.
            return .result(await fitted(given, side), life.terms)
        }
        return await drawn(children, given.tile, side, life)
    }

    private func drawn(_ children: [PartTile], _ whole: Tile?, _ side: Int, _ life: SharedLife) async
        -> SourceAnswer
    {
        let quarters = children.enumerated().map { Quarter(index: $0, of: side, own: $1.tile, whole: whole) }
        let growth = quarters.map(\.growth).max() ?? 1
        let form = pixels.form(form, side: side)
        let bytes = TileMemory.made(
            of: children.compactMap(\.tile) + [whole].compactMap(\.self), side: side, form, pixels.encoder)
        let result = await pixels.tile(.upscaled(growth), as: form, bytes: bytes) {
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
    /// Whether it is what `form` wants of a tile with `side` pixels a side, and of PNG what `png` wants. A PNG may be: only its
    /// pixels tell whether another format suits them better.
    @inline(__always)
    package func isDone(as form: ImageForm, side: Int, png: PNGOptions.Form) -> Bool {
        width == side && height == side && form.takes(format) && (format != .png || png == .lean || png.holds(bytes))
    }
}

extension Tile.Derivation {
    /// Nil where nothing grew.
    package static func upscaled(_ factor: Double) -> Tile.Derivation? {
        factor > 1 ? Tile.Derivation(upscaled: factor) : nil
    }
}
