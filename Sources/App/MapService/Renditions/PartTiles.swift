import MapGeometry
import Runtime
import Synchronization
import TileCache

/// The tiles of one layer as its source has them, by way of the cache: what its other tiles are made of.
///
/// A class for what it learns of the source. Thread rule: any thread.
final class PartTiles: Sendable {
    let extent: TileExtent
    /// Pixels per point that the source can be asked for.
    let scales: ClosedRange<Int>
    private let loader: TileLoader
    private let source: CachedLayer
    /// By scale, 16 bits each, from scale 1 in the lowest: pixels a side of the last tile.
    private let sidesSeen = Atomic<UInt64>(0)

    init(loader: TileLoader, source: CachedLayer, extent: TileExtent, scales: ClosedRange<Int>) {
        self.loader = loader
        self.source = source
        self.extent = extent
        self.scales = scales
    }

    /// The scale to ask the source for where `scale` is wanted.
    func scale(for scale: Int) -> Int { min(max(scale, scales.lowerBound), scales.upperBound) }

    /// Pixels a side of the last tile of `scale`, 1…4; nil where none was seen yet.
    func usualSide(scale: Int) -> Int? {
        let side = Int(sidesSeen.load(ordering: .relaxed) >> Self.shift(scale) & 0xFFFF)
        return side > 0 ? side : nil
    }

    private func note(side: Int, scale: Int) {
        let shift = Self.shift(scale)
        let others = sidesSeen.load(ordering: .relaxed) & ~(0xFFFF << shift)
        // Of two writes at the same time one may be lost: the number is a hint.
        sidesSeen.store(others | UInt64(min(side, 0xFFFF)) << shift, ordering: .relaxed)
    }

    /// Bits from the lowest to those of a scale.
    private static func shift(_ scale: Int) -> UInt64 { UInt64(scale - 1) * 16 }

    /// `scale` must be one of `scales`.
    func tile(at coordinate: TileCoordinate, scale: Int) async -> PartTile {
        guard extent.contains(coordinate) else { return .outside }
        let key = TileKey(
            layer: source.number, generation: source.generation.current, coordinate: coordinate, scale: UInt8(scale))
        let sourceTile = PartTile(await loader.find(key, from: source), now: loader.now())
        if let tile = sourceTile.tile { note(side: min(tile.width, tile.height), scale: scale) }
        return sourceTile
    }

    /// The four tiles one zoom deeper, row by row from the north-west; nil where there is no deeper zoom.
    func children(of coordinate: TileCoordinate, scale: Int) async -> [PartTile]? {
        guard coordinate.z < extent.zooms.upperBound else { return nil }
        let coordinates = (0..<4).compactMap { index in
            TileCoordinate(
                z: coordinate.z + 1, x: coordinate.x * 2 + index % 2, y: coordinate.y * 2 + index / 2)
        }
        return await coordinates.concurrentMap { await self.tile(at: $0, scale: scale) }
    }
}
