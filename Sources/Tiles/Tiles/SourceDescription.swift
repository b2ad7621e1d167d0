import MapGeometry
import Raster

/// What a source says of its tiles; nil where it says nothing.
public struct SourceDescription: Sendable, Hashable {
    /// What people call the tile set.
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
    /// What a map shows first.
    public var center: Center?
    /// The zooms that have tiles, within 0…30.
    public var zooms: ClosedRange<Int>?
    /// Pixels a side, in 64…2,048.
    public var tileSize: Int?
    /// What most tiles are.
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
