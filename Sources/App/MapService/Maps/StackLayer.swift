import MapGeometry
import Raster
import Runtime
import TileCache
import Tiles

/// The layers of a map, drawn over one another (docs/spec/model.md 3.1).
///
/// Asks them from the top down, as far as the first tile that hides what is below it. Their tiles come by way of the
/// cache.
struct StackLayer: TileLayer {
    /// From the top down.
    let layers: [DrawnLayer]
    let loader: TileLoader
    /// Pixels a side at scale 1.
    let tileSize: Int
    /// Whether the tile is drawn without a layer that is unavailable; otherwise it is unavailable too.
    let skipsFailures: Bool
    let pixels: PixelWork
    var scales: ClosedRange<Int> { 1...4 }

    func answer(
        at coordinate: TileCoordinate, scale: Int, holding validators: Validators?
    ) async -> SourceAnswer {
        let side = tileSize * scale
        let found = await tiles(at: coordinate, side: side)
        var life = found.reduce(into: SharedLife.endless) { $0.join($1.source.life) }
        let stack: TileStack
        if TileStack.untouched(found, side) != nil || !found.contains(where: { $0.source.tile != nil }) {
            stack = TileStack(found)
        } else {
            switch await decoded(found, side) {
            case .success(let decoded): stack = decoded
            case .failure(let reason): return .result(.unavailable(reason), life.terms)
            }
        }
        let result = stack.result(side: side, skipsFailures: skipsFailures)
        // A tile without one of its layers answers this request only.
        if result.isPartial { life.forbidKeeping() }
        return .result(result.tile, life.terms)
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
        await layers.concurrentMap { LayerTile(layer: $0, source: await $0.tile(at: coordinate, side: side, loader)) }
    }

    /// The same, with `hides` set.
    private func seenThrough(_ found: LayerTile) async -> LayerTile {
        guard found.layer.canHide, let tile = found.source.tile else { return found }
        var found = found
        // Of other formats only decoding tells whether they can be drawn at all.
        if tile.format == .png, tile.isCertainlyOpaque {
            found.hides = true
        } else {
            let decoded = await pixels.make(bytes: TileMemory.decoded(tile)) { _ in try ImageDecoder.decode(tile.bytes)
            }
            switch decoded {
            case .success(let pixmap):
                found.hides = pixmap.isOpaque
                found.keep(pixmap, in: pixels.queue.memory)
            case .failure(.notAnImage): found.isBroken = true
            case .failure: found.isRefused = true
            }
        }
        found.layer.note(hides: found.hides)
        return found
    }

    /// Decodes, draws and encodes `found` in one turn on the queue, with memory reserved once. Requests that held decoded
    /// tiles while they waited for more memory would block each other.
    private func decoded(_ found: [LayerTile], _ side: Int) async -> Result<TileStack, Unavailability> {
        let bytes = TileMemory.composed(of: found.compactMap(\.source.tile), side: side, pixels.encoder)
        let kept = found.reduce(0) { $0 + ($1.reservation?.bytes ?? 0) }
        var pixels = pixels
        // A request for which tiles have been decoded already is not refused for its wait.
        pixels.isAdmitted = kept > 0
        let (encoder, onError, skipsFailures) = (pixels.encoder, pixels.onError, skipsFailures)
        return await pixels.make(bytes: max(bytes - kept, 1)) { isWanted in
            var stack = TileStack(found)
            stack.decode(onError)
            try stack.draw(side: side, skipsFailures: skipsFailures) { pixmap in
                try encoder.encode(pixmap, as: .png, isWanted: isWanted)
            }
            return stack
        }
    }
}

extension Tile {
    /// Whether the encoded image says that it has no transparency. False where only its pixels could tell.
    fileprivate var isCertainlyOpaque: Bool {
        // A header that cannot be read leaves it to the pixels.
        (try? ImageHeader(parsing: bytes))?.isDeclaredOpaque ?? false
    }
}
