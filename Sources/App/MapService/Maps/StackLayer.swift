import MapGeometry
import Raster
import Runtime
import TileCache
import Tiles

/// A tile layer that draws a map: the layers of the map, one over another (docs/spec/model.md 3.1). The layer asks for
/// tiles from the top down. An opaque tile hides everything below, so the search stops there. All tiles come through
/// the cache.
struct StackLayer: TileLayer {
    /// The layers from the top down.
    let layers: [DrawnLayer]
    let loader: TileLoader
    /// Pixels a side at scale 1.
    let tileSize: Int
    /// True if the map is drawn without its unavailable layers. False: the map's tile is unavailable too.
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
        // A tile without one of its layers is not cached.
        if result.isPartial { life.forbidKeeping() }
        return .result(result.tile, life.terms)
    }

    /// Fetches the tiles of the layers at `coordinate`, from the top layer down. Stops at the first tile that hides
    /// everything below.
    private func tiles(at coordinate: TileCoordinate, side: Int) async -> [LayerTile] {
        var found: [LayerTile] = []
        var next = 0
        while next < layers.count {
            // If the last tile of a layer was not opaque, the layer below is probably needed too. Fetches both at the
            // same time.
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

    /// Returns `found`, and sets `hides` if the tile is opaque and hides everything below.
    private func seenThrough(_ found: LayerTile) async -> LayerTile {
        guard found.layer.canHide, let tile = found.source.tile else { return found }
        var found = found
        // A PNG header can prove that the tile is opaque. All other tiles must be decoded, which also shows whether
        // they can be drawn.
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

    /// Decodes, draws and encodes the tiles `found` as one work item on the queue, with one memory reservation. With
    /// several reservations, requests could block each other: each would hold decoded tiles and wait for more memory.
    private func decoded(_ found: [LayerTile], _ side: Int) async -> Result<TileStack, Unavailability> {
        let bytes = TileMemory.composed(of: found.compactMap(\.source.tile), side: side, pixels.encoder)
        let kept = found.reduce(0) { $0 + ($1.reservation?.bytes ?? 0) }
        var pixels = pixels
        // If tiles of this request are decoded already, the queue does not refuse the rest for a long expected wait.
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
    /// Reports whether the encoded image declares that it has no transparency. False if only the pixels could show
    /// that.
    fileprivate var isCertainlyOpaque: Bool {
        // If the header cannot be read, the pixels decide.
        (try? ImageHeader(parsing: bytes))?.isDeclaredOpaque ?? false
    }
}
