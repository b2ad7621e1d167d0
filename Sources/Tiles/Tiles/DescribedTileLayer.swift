import MapGeometry
import Raster

/// A layer whose source says of itself what settings leave open, and may be replaced while it is served: a file.
///
/// Thread rule: as `TileLayer`.
package protocol DescribedTileLayer: TileLayer {
    /// What the source that is served now says instead of settings that are missing; nil: nothing. May block.
    func describe() -> SourceDescription?

    /// Where there are tiles now, for a source in which that changes while it is served; nil: everywhere, or as `describe`
    /// says.
    var currentBounds: GeographicBox? { get }

    /// Bytes of memory that the source takes as long as it is served, with or without requests.
    var residentBytes: Int { get }

    /// Whether another source has replaced the one that said `description`. May block.
    func isOutdated(since description: SourceDescription?) -> Bool
}

extension DescribedTileLayer {
    package var currentBounds: GeographicBox? { nil }
    package var residentBytes: Int { 0 }
}

/// What a source says of its tiles; nil where it says nothing.
package struct SourceDescription: Sendable, Hashable {
    /// What people call the tile set.
    package var name: String?
    /// May hold line ends and tabs.
    package var description: String?
    /// Whom to credit, as text or HTML.
    package var attribution: String?
    /// Three numbers with dots between.
    package var version: String?
    /// Whether the tiles lie over a map or are one.
    package var kind: Kind?
    /// Where tiles exist. Nil: it does not say, or everywhere.
    package var bounds: GeographicBox?
    /// What a map shows first.
    package var center: Center?
    /// Those with tiles, within 0…30.
    package var zooms: ClosedRange<Int>?
    /// Pixels a side, in 64…2,048.
    package var tileSize: Int?
    /// What most tiles are.
    package var format: ImageFormat?
    /// Another one for another source, and for the same one after a change.
    package var revision = ""

    package init() {}

    /// The `type` of a tile set, as MBTiles and TileJSON call it.
    package enum Kind: String, Sendable {
        /// Over other layers.
        case overlay
        /// Below all other layers.
        case baselayer
    }

    /// A coordinate and a zoom.
    package struct Center: Sendable, Hashable {
        /// Degrees in -180…180.
        package var longitude: Double
        /// Degrees in -90…90.
        package var latitude: Double
        /// In 0…30.
        package var zoom: Int

        package init(longitude: Double, latitude: Double, zoom: Int) {
            self.longitude = longitude
            self.latitude = latitude
            self.zoom = zoom
        }
    }
}
