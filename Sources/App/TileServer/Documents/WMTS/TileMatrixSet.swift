/// A tile matrix set of WMTS: the tiles of a square world with so many pixels a side, whose matrix `z` is what is a zoom elsewhere.
struct TileMatrixSet: Hashable, Sendable {
    /// Pixels of a tile's edge.
    let side: Int

    /// That of 256 pixels is the well-known one (OGC 07-057r7, annex E.4).
    var id: String { isWellKnown ? "GoogleMapsCompatible" : "GoogleMapsCompatible_\(side)" }
    var isWellKnown: Bool { side == 256 }

    /// Of a matrix: metres on the equator to a pixel of 0.28 mm (OGC 07-057r7, 6.1).
    func scaleDenominator(_ zoom: Int) -> Double {
        2 * WebMercator.edge / Double(side) / 0.000_28 / Double(1 << zoom)
    }
}

extension LayerDescription {
    /// Those of 256 and of 512 pixels that the layer has tiles for, else one of its own.
    var matrixSets: [TileMatrixSet] {
        let sides = [256, 512].filter { $0.isMultiple(of: pixels) && scales.contains($0 / pixels) }
        return (sides.isEmpty ? [pixels] : sides).map { TileMatrixSet(side: $0) }
    }

    /// Pixels per point of the tiles in the set of this id; nil where the layer is in no such.
    func scale(ofMatrixSet id: String) -> Int? {
        matrixSets.first { $0.id == id }.map { $0.side / pixels }
    }
}
