import MapGeometry
import TileCache

/// The tiles that a clear affects. The area is one layer, one map, or all of them. `bounds` and `zooms`, or `tile`,
/// limit the area to some tiles. After a clear of a list of tiles, `bounds` and `zooms` enclose all tiles of the list.
///
/// The server makes some tiles from other tiles. For example, a tile of a higher scale is assembled from four tiles,
/// and an enlarged tile is cut out of a coarser tile. Tiles of the layer that were made from cleared tiles are cleared
/// too, even if their zoom is not in `zooms`. The area of a map includes the tiles that the map draws from them.
public struct ClearedArea: Sendable, Hashable {
    /// The id of a layer or map. Nil if all layers and maps are cleared.
    public let layer: String?
    /// The generation of the layer after the clear. Nil if all layers and maps are cleared.
    public let generation: Int?
    /// The cleared box in degrees. A tile that only touches the edge of the box is not cleared. Nil: everywhere, or
    /// only `tile`.
    public let bounds: GeographicBox?
    /// The cleared zooms. Nil: all zooms, or only `tile`.
    public let zooms: ClosedRange<Int>?
    /// The only cleared tile. Nil if `bounds` and `zooms` describe the area.
    public let tile: TileCoordinate?
    /// True if the tiles are stale and not removed: the server may serve stale tiles until new tiles arrive.
    public let isSoft: Bool

    init(layer: String?, generation: UInt32?, _ extent: MapService.Extent) {
        switch extent {
        case .all: self.init(layer, generation)
        case .box(let box, let bounds, let isSoft):
            self.init(layer, generation, bounds: bounds, zooms: box.zooms, isSoft: isSoft)
        case .set(let set, let isSoft):
            self.init(layer, generation, bounds: extent.bounds, zooms: set.zooms, isSoft: isSoft)
        case .tile(let coordinate): self.init(layer, generation, tile: coordinate)
        }
    }

    /// Makes the area of `map` that must be drawn again after `members` were cleared. `members` are layers that the map
    /// draws. The cache may clear more tiles than this area has, because it does not know which tiles the map really
    /// used. The server draws these other tiles again without a change.
    init(map: ServedLayer, generation: UInt32, drawnOf members: [ServedLayer], _ extent: MapService.Extent) {
        guard let area = extent.area else {
            self.init(map.id, generation)
            return
        }
        // A larger tile is assembled from four tiles of the next zoom.
        let isPutTogether = members.contains { $0.tileSize < map.tileSize }
        let first = max(area.zooms.lowerBound - (isPutTogether ? 1 : 0), 0)
        if members.contains(where: { $0.settings.overzoom > 0 }) {
            // Deeper zooms are affected too: their tiles are cut out of cleared tiles.
            let ground = area.ground.flatMap { GeographicBox($0.span, zoom: $0.zoom) }
            self.init(map.id, generation, bounds: ground, zooms: first...TileCoordinate.maxZoom)
        } else {
            let zooms = first...area.zooms.upperBound
            if case .tile(let tile) = extent, !isPutTogether {
                self.init(map.id, generation, tile: tile)
            } else {
                self.init(map.id, generation, bounds: extent.bounds, zooms: zooms)
            }
        }
    }

    private init(
        _ layer: String?, _ generation: UInt32?, bounds: GeographicBox? = nil, zooms: ClosedRange<Int>? = nil,
        tile: TileCoordinate? = nil, isSoft: Bool = false
    ) {
        self.layer = layer
        self.generation = generation.map(Int.init)
        self.bounds = bounds
        self.zooms = zooms == 0...TileCoordinate.maxZoom ? nil : zooms
        self.tile = tile
        self.isSoft = isSoft
    }
}

extension MapService.Extent {
    /// The box of the cleared tiles in degrees. Nil: everywhere.
    fileprivate var bounds: GeographicBox? {
        switch self {
        case .all: nil
        case .box(_, let bounds, _): bounds
        case .set, .tile: area?.ground.flatMap { GeographicBox($0.span, zoom: $0.zoom) }
        }
    }
}

extension GeographicBox {
    /// Makes the box of all tiles of `span`, slightly smaller on each side. Without this margin, a rounding error in a
    /// latitude could include the tiles beyond. Nil if the box is the whole world.
    init?(_ span: TileBox.Span, zoom: Int) {
        let last = (1 << zoom) - 1
        guard span.west > 0 || span.east < last || span.north > 0 || span.south < last,
            let northWest = TileCoordinate(z: zoom, x: span.west, y: span.north)?.bounds,
            let southEast = TileCoordinate(z: zoom, x: span.east, y: span.south)?.bounds
        else { return nil }
        self.init(
            west: northWest.west + Self.edge, south: southEast.south + Self.edge, east: southEast.east - Self.edge,
            north: northWest.north - Self.edge)
    }

    /// The margin in degrees. It is a thirtieth of the side of the smallest tile, and a hundred thousand times the
    /// rounding error.
    private static let edge = 1e-9
}
