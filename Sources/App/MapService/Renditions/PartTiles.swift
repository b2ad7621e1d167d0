import MapGeometry
import Runtime
import Synchronization
import TileCache

/// Loads the tiles of one source through the cache, for layers that make other tiles from them. The object remembers
/// the size of the source's tiles. Thread rule: any thread.
final class PartTiles: Sendable {
    let extent: TileExtent
    /// The scales (pixels per point) that the source offers.
    let scales: ClosedRange<Int>
    private let loader: TileLoader
    private let source: CachedLayer
    /// The variant of all tiles that this object loads: the usual tiles of the layer, or its tiles without labels.
    private let variant: TileKey.Variant
    /// The shorter side in pixels of the last tile of each scale, 16 bits each. Scale 1 has the lowest bits.
    private let sidesSeen = Atomic<UInt64>(0)

    init(
        loader: TileLoader, source: CachedLayer, variant: TileKey.Variant = .source, extent: TileExtent,
        scales: ClosedRange<Int>
    ) {
        self.variant = variant
        self.loader = loader
        self.source = source
        self.extent = extent
        self.scales = scales
    }

    /// Returns the scale of the source that is nearest to `scale`.
    func scale(for scale: Int) -> Int { min(max(scale, scales.lowerBound), scales.upperBound) }

    /// Returns the shorter side in pixels of the last tile of `scale`, 1…4. Nil if no tile was loaded yet.
    func usualSide(scale: Int) -> Int? {
        let side = Int(sidesSeen.load(ordering: .relaxed) >> Self.shift(scale) & 0xFFFF)
        return side > 0 ? side : nil
    }

    private func note(side: Int, scale: Int) {
        let shift = Self.shift(scale)
        let others = sidesSeen.load(ordering: .relaxed) & ~(0xFFFF << shift)
        // Two threads may store at the same time, and one value may be lost. That is harmless because the number is a
        // hint.
        sidesSeen.store(others | UInt64(min(side, 0xFFFF)) << shift, ordering: .relaxed)
    }

    /// Returns the position of the lowest bit of a scale.
    private static func shift(_ scale: Int) -> UInt64 { UInt64(scale - 1) * 16 }

    /// Loads the tile at `coordinate`. `scale` must be in `scales`.
    func tile(at coordinate: TileCoordinate, scale: Int) async -> PartTile {
        guard extent.contains(coordinate) else { return .outside }
        let key = TileKey(
            layer: source.number, generation: source.generation.current, coordinate: coordinate, scale: UInt8(scale),
            variant: variant)
        let sourceTile = PartTile(await loader.find(key, from: source), now: loader.now())
        if let tile = sourceTile.tile { note(side: min(tile.width, tile.height), scale: scale) }
        return sourceTile
    }

    /// Loads the four tiles one zoom deeper, row by row from the north-west. Nil if the source has no deeper zoom.
    func children(of coordinate: TileCoordinate, scale: Int) async -> [PartTile]? {
        guard coordinate.z < extent.zooms.upperBound else { return nil }
        let coordinates = (0..<4).compactMap { index in
            TileCoordinate(
                z: coordinate.z + 1, x: coordinate.x * 2 + index % 2, y: coordinate.y * 2 + index / 2)
        }
        return await coordinates.concurrentMap { await self.tile(at: $0, scale: scale) }
    }
}
