import MapGeometry
import Raster
import TileCache
import TileLayers

/// The layers of a map, drawn over one another (model.md 3.1).
///
/// They are asked from the top down, and no further than to the first that hides what is below it. The children's tiles
/// come by way of the cache.
struct StackLayer: RevalidatingTileLayer {
    /// From the top down.
    let sheets: [Sheet]
    let loader: TileLoader
    /// Pixels a side at scale 1.
    let tileSize: Int
    /// What a layer that cannot be had does to the tile: it is drawn without it, or cannot be had either.
    let skipsFailures: Bool
    let pixels: PixelWork

    func answer(
        at coordinate: TileCoordinate, scale: Int, holding validators: Validators?
    ) async -> SourceAnswer {
        let side = tileSize * scale
        var found = await sheets(at: coordinate, side: side)
        var times = found.reduce(into: PartTimes.endless) { $0.join($1.part.times) }
        if Self.untouched(found, side) == nil { found = await decoded(found) }
        let failures = found.filter { $0.failure != nil }
        let drawn = found.filter { $0.part.tile != nil && $0.failure == nil }
        if let first = failures.first?.failure {
            guard skipsFailures, !drawn.isEmpty else { return .result(.unavailable(first), times.terms) }
            times.forbidKeeping()
        }
        guard !drawn.isEmpty else { return .result(.noTile, times.terms) }
        let missing = failures.map(\.sheet.layer.id)
        return .result(await picture(drawn, side: side, missing: missing), times.terms)
    }

    /// What the sheets have here, from the top down as far as it can be seen.
    private func sheets(at coordinate: TileCoordinate, side: Int) async -> [FoundSheet] {
        var found: [FoundSheet] = []
        var next = 0
        while next < sheets.count {
            // Those that let something through the last time are fetched together with what is below them.
            let end = sheets[next...].firstIndex(where: \.mayHide).map { $0 + 1 } ?? sheets.count
            for sheet in await fetch(sheets[next..<end], coordinate, side) {
                let isLast = found.count + 1 == sheets.count
                let sheet = isLast ? sheet : await seenThrough(sheet)
                found.append(sheet)
                if sheet.hides { return found }
            }
            next = end
        }
        return found
    }

    private func fetch(_ sheets: ArraySlice<Sheet>, _ coordinate: TileCoordinate, _ side: Int) async -> [FoundSheet] {
        await withTaskGroup(of: (Int, FoundSheet).self) { group in
            for (place, sheet) in sheets.enumerated() {
                group.addTask { (place, FoundSheet(sheet, await sheet.part(at: coordinate, side: side, loader))) }
            }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    /// The same with the knowledge whether it hides what is below it.
    private func seenThrough(_ found: FoundSheet) async -> FoundSheet {
        guard found.sheet.canHide, let tile = found.part.tile else { return found }
        var found = found
        // Of other formats only decoding tells whether they can be drawn at all.
        if tile.format == .png, tile.isCertainlyOpaque {
            found.hides = true
        } else {
            found = await decoded([found])[0]
            found.hides = found.pixmap?.isOpaque ?? false
        }
        found.sheet.note(hides: found.hides)
        return found
    }

    /// The tile that the whole comes to, where it is one as it is.
    private static func untouched(_ found: [FoundSheet], _ side: Int) -> Tile? {
        let tiles = found.filter { $0.part.tile != nil && $0.failure == nil }
        guard tiles.count == 1, tiles[0].sheet.opacity == 1, let tile = tiles[0].part.tile, tile.width == side,
            tile.height == side
        else { return nil }
        return tile
    }

    /// The same with the pixels of all tiles; one that cannot be decoded is a layer that cannot be had.
    private func decoded(_ found: [FoundSheet]) async -> [FoundSheet] {
        let result = try? await pixels.queue.run(patience: pixels.patience) {
            found.map { sheet in
                guard sheet.pixmap == nil, let tile = sheet.part.tile else { return sheet }
                var sheet = sheet
                do {
                    sheet.pixmap = try ImageDecoder.decode(tile.bytes)
                } catch {
                    pixels.onError(error)
                    sheet.isBroken = true
                }
                return sheet
            }
        }
        if let result { return result }
        // The queue is full.
        return found.map { sheet in
            var sheet = sheet
            sheet.isRefused = sheet.part.tile != nil && sheet.pixmap == nil
            return sheet
        }
    }

    /// The tile of `drawn`, at least one, from the top down.
    private func picture(_ drawn: [FoundSheet], side: Int, missing: [String]) async -> TileResult {
        let growth = drawn.compactMap { $0.part.tile?.derivation?.upscaled }.max()
        let derivation =
            growth == nil && missing.isEmpty
            ? nil : Tile.Derivation(upscaled: growth, missing: Array(missing.prefix(Self.mostNamed)))
        if let tile = Self.untouched(drawn, side) {
            return .tile(
                Tile(
                    bytes: tile.bytes, format: tile.format, width: side, height: side,
                    lastModified: missing.isEmpty ? tile.lastModified : nil, derivation: derivation))
        }
        return await pixels.tile(derivation) {
            var compositor = Compositor(width: side, height: side)
            for found in drawn.reversed() {
                guard let pixmap = found.pixmap else { continue }
                let fitted =
                    pixmap.width == side && pixmap.height == side
                    ? pixmap : Resampler.scaled(pixmap, width: side, height: side)
                compositor.add(fitted, opacity: found.sheet.opacity, blend: found.sheet.blend)
            }
            return compositor.composed()
        }
    }

    /// A field line has room for so many names.
    private static let mostNamed = 16
}

/// What a sheet has at one place.
private struct FoundSheet: Sendable {
    let sheet: Sheet
    let part: Part
    /// Nothing below it can be seen.
    var hides = false
    /// The tile's pixels, where they were needed already.
    var pixmap: Pixmap?
    /// Its image cannot be decoded.
    var isBroken = false
    /// There was too much to do to decode it.
    var isRefused = false

    init(_ sheet: Sheet, _ part: Part) {
        self.sheet = sheet
        self.part = part
    }

    /// Why it cannot be drawn; nil where it can, or where there is nothing to draw.
    var failure: Unavailability? {
        isBroken ? .notAnImage : isRefused ? .overloaded : part.unavailability
    }
}

extension Tile {
    /// Whether the encoded image says that it has no transparency. False where only its pixels could tell.
    fileprivate var isCertainlyOpaque: Bool {
        // A header that cannot be read leaves it to the pixels.
        (try? ImageHeader(parsing: bytes))?.isDeclaredOpaque ?? false
    }
}
