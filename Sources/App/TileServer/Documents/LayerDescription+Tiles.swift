import MapGeometry
import MapService
import Raster
import TileCache

/// Where a layer's tiles are: their addresses, and their place in the world.
extension LayerDescription {
    /// How a document writes what its reader fills in.
    struct Placeholders {
        var z: String
        var x: String
        var y: String

        static let xyz = Placeholders(z: "{z}", x: "{x}", y: "{y}")
    }

    /// The URL of the tiles, below `base`. `mark` stands for the scale's; nil: that of `options`, else none.
    func tileURL(
        base: String, _ options: DocumentOptions, _ placeholders: Placeholders = .xyz, mark: String? = nil
    ) -> String {
        let scale = options.scale ?? 1
        let mark = mark ?? (scale == 1 ? "" : "@\(scale)x")
        let tile = "\(placeholders.z)/\(placeholders.x)/\(placeholders.y)\(mark).\(formats[0].suffix)"
        return "\(base)/\(id)/\(tile)\(query(options))"
    }

    /// What stands behind the path of a tile: the generation, so that clients may keep the tile for long, and `empty`.
    func query(_ options: DocumentOptions) -> String {
        "?v=\(generation)" + (options.empty.map { "&empty=\($0.rawValue)" } ?? "")
    }

    /// The largest scale that is not above `scale`.
    func scale(atMost scale: Int) -> Int { min(scale, scales.upperBound) }

    /// West, south, east, north in degrees for readers that know of no box across the antimeridian: all longitudes for
    /// such a one, and the whole Mercator square where the layer has no bounds.
    var unwrappedBounds: [Double] {
        guard let bounds else { return Self.world }
        guard bounds.west > bounds.east else { return [bounds.west, bounds.south, bounds.east, bounds.north] }
        return [-180, bounds.south, 180, bounds.north]
    }

    /// The same, with west above east for a box across the antimeridian.
    var wrappedBounds: [Double] {
        guard let bounds else { return Self.world }
        return [bounds.west, bounds.south, bounds.east, bounds.north]
    }

    private static let world = [-180, -85.0511287798066, 180, 85.0511287798066]

    /// The tiles that the bounds touch, for each of `zooms`.
    func box(_ zooms: ClosedRange<Int>) -> TileBox {
        guard let bounds else { return TileBox(zooms: zooms) }
        return TileBox(zooms: zooms, northWest: bounds.northWest, southEast: bounds.southEast)
    }
}

extension TileBox.Span {
    /// The columns for readers that know of no box across the antimeridian, at `zoom`.
    func unwrappedColumns(_ zoom: Int) -> ClosedRange<Int> {
        west <= east ? west...east : 0...((1 << zoom) - 1)
    }
}
