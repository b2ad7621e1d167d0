import MapGeometry
import TileCache

/// Which tiles a clear was about: those of one layer or map, or of all, which lie in `bounds` and `zooms`, or the one `tile`. Of a
/// list of tiles these are the bounds and zooms within which all of it lies.
/// Tiles that the server made of these are meant as well: at higher scales put together of four, or cut out of coarser ones.
public struct ClearedArea: Sendable, Hashable {
    /// The id of a layer or map; nil: all of them.
    public let layer: String?
    /// The layer's from now on; nil where all were cleared.
    public let generation: Int?
    /// In degrees; a tile that it only touches at an edge is not meant. Nil: everywhere.
    public let bounds: GeographicBox?
    /// Nil: all zooms.
    public let zooms: ClosedRange<Int>?
    /// The only one; nil where `bounds` and `zooms` say which.
    public let tile: TileCoordinate?
    /// The tiles are stale, not gone: until new ones are there, they may be served.
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

    /// What a clear of `members`, which the map draws, means for those who show the map. The cache clears more of the map than
    /// this, all that may have been made of those tiles without a look at how: what it clears beyond this is drawn again as it
    /// was.
    init(map: ServedLayer, generation: UInt32, drawnOf members: [ServedLayer], _ extent: MapService.Extent) {
        guard let area = extent.area else {
            self.init(map.id, generation)
            return
        }
        // Larger tiles are put together of four of the next zoom.
        let isPutTogether = members.contains { $0.tileSize < map.tileSize }
        let first = max(area.zooms.lowerBound - (isPutTogether ? 1 : 0), 0)
        if members.contains(where: { $0.settings.overzoom > 0 }) {
            // Below as well, cut out of those that were cleared.
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
    /// Nil: everywhere.
    fileprivate var bounds: GeographicBox? {
        switch self {
        case .all: nil
        case .box(_, let bounds, _): bounds
        case .set, .tile: area?.ground.flatMap { GeographicBox($0.span, zoom: $0.zoom) }
        }
    }
}

extension GeographicBox {
    /// The ground of all tiles of `span`, without its outermost edge, so that whatever rounding does to a row's latitude, no tile
    /// beyond is touched. Nil where that is the whole world.
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

    /// Degrees: a thirtieth of the side of the smallest tile there is, and a hundred thousand times what rounding does.
    private static let edge = 1e-9
}
