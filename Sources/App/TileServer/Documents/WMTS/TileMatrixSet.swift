/// A tile matrix set of WMTS: the tiles of all zooms, with one size in pixels. The matrix `z` has the tiles of the zoom
/// `z`, which together cover the square world.
struct TileMatrixSet: Hashable, Sendable {
    /// Pixels a side of a tile.
    let side: Int

    /// The id of the set. The set with 256 pixels is a well-known set (OGC 07-057r7, annex E.4).
    var id: String { isWellKnown ? "GoogleMapsCompatible" : "GoogleMapsCompatible_\(side)" }
    var isWellKnown: Bool { side == 256 }

    /// Returns the scale denominator of a matrix, based on pixels of 0.28 mm at the equator (OGC 07-057r7, 6.1).
    func scaleDenominator(_ zoom: Int) -> Double {
        2 * WebMercator.edge / Double(side) / 0.000_28 / Double(1 << zoom)
    }
}

extension LayerDescription {
    /// The sets with 256 and 512 pixels, if the layer has such tiles. Otherwise one set with the layer's own size.
    var matrixSets: [TileMatrixSet] {
        let sides = [256, 512].filter { $0.isMultiple(of: pixels) && scales.contains($0 / pixels) }
        return (sides.isEmpty ? [pixels] : sides).map { TileMatrixSet(side: $0) }
    }

    /// Returns the scale (pixels per point) of the tiles in the set `id`. Nil if the layer is not in this set.
    func scale(ofMatrixSet id: String) -> Int? {
        matrixSets.first { $0.id == id }.map { $0.side / pixels }
    }
}
