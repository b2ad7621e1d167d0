import MapGeometry
import Raster

/// A source's own description of its tiles; a property is nil if the source does not say it.
public struct SourceDescription: Sendable, Hashable {
    /// The name of the tile set, for people.
    public var name: String?
    /// May hold line ends and tabs.
    public var description: String?
    /// Whom to credit, as text or HTML.
    public var attribution: String?
    /// Three numbers with dots between.
    public var version: String?
    /// Whether the tiles lie over a map or are one.
    public var kind: Kind?
    /// Where tiles exist. Nil: it does not say, or everywhere.
    public var bounds: GeographicBox?
    /// The place that a map shows first.
    public var center: Center?
    /// The zooms that have tiles, within 0…30.
    public var zooms: ClosedRange<Int>?
    /// Pixels a side, in 64…2,048.
    public var tileSize: Int?
    /// The format of most tiles.
    public var format: ImageFormat?
    /// Tells sources apart, and a source after a change from the same one before it.
    public var revision = ""

    /// Of a source that says nothing.
    public init() {}

    /// The `type` of a tile set, as MBTiles and TileJSON call it.
    public enum Kind: String, Sendable {
        /// Over other layers.
        case overlay
        /// Below all other layers.
        case baselayer
    }

    /// A coordinate and a zoom.
    public struct Center: Sendable, Hashable {
        /// Degrees in -180…180.
        public let longitude: Double
        /// Degrees in -90…90.
        public let latitude: Double
        /// In 0…30.
        public let zoom: Int

        /// Nil unless all three are in their ranges.
        public init?(longitude: Double, latitude: Double, zoom: Int) {
            guard abs(longitude) <= 180, abs(latitude) <= 90, (0...TileCoordinate.maxZoom).contains(zoom) else {
                return nil
            }
            self.longitude = longitude
            self.latitude = latitude
            self.zoom = zoom
        }
    }
}
