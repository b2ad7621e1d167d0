import MapGeometry
import Raster

/// Facts that a source states about its own tiles, for example their zooms. A property is nil if the source does not
/// state the fact.
public struct SourceDescription: Sendable, Hashable {
    /// Name of the tile set for people.
    public var name: String?
    /// Description of the tile set. May contain line ends and tabs.
    public var description: String?
    /// The credit for the data, as text or HTML.
    public var attribution: String?
    /// Three numbers with dots between them.
    public var version: String?
    /// Overlay or base layer.
    public var kind: Kind?
    /// The area that has tiles. Nil if the source does not say, or if it has tiles everywhere.
    public var bounds: GeographicBox?
    /// The place that a map shows first.
    public var center: Center?
    /// The zooms that have tiles, within 0…30.
    public var zooms: ClosedRange<Int>?
    /// Number of zooms beyond the deepest zoom of the source, 0…30. At these zooms, the server enlarges a part of a
    /// coarser tile, because the source has no tile.
    public var overzoom: Int?
    /// Side of a tile in pixels, 64…2,048.
    public var tileSize: Int?
    /// The format of most tiles. For an MBTiles file, this is the format of its first tile.
    public var format: ImageFormat?
    /// The time of the last change of the source's file, in seconds since 1970. Nil if the source is no single file, or
    /// does not say.
    public var lastModified: Int?
    /// A text that distinguishes sources, and the versions of one source.
    public var revision = ""

    /// Makes the description of a source that says nothing.
    public init() {}

    /// The `type` of a tile set in MBTiles and TileJSON.
    public enum Kind: String, Sendable {
        /// Drawn above other layers.
        case overlay
        /// Drawn below all other layers.
        case baselayer
    }

    /// The position and the zoom that a map shows first.
    public struct Center: Sendable, Hashable {
        /// Degrees in -180…180.
        public let longitude: Double
        /// Degrees in -90…90.
        public let latitude: Double
        /// The zoom, in 0…30.
        public let zoom: Int

        /// Returns nil unless all three values are in their ranges.
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
