import Configuration
import MapGeometry
import Tiles

extension LayerSettings {
    /// Fills in settings that the user did not set, with values from the source. For example, an MBTiles file describes
    /// its own name, zooms and bounds.
    func completed(by source: SourceDescription) -> LayerSettings {
        var settings = self
        settings.name = name ?? source.name
        settings.description = description ?? source.description
        // The author of an MBTiles file is not trusted, and clients show an attribution as HTML.
        settings.attribution = attribution ?? source.attribution.flatMap(AttributionText.harmless)
        settings.bounds = bounds ?? source.bounds
        // If the user has set `maxZoom`, the source's overzoom is ignored: it would add tiles at deeper zooms.
        if let overzoom = source.overzoom, explicit.maxZoom == nil {
            settings.overzoom = explicit.overzoom ?? min(max(overzoom, 0), TileCoordinate.maxZoom)
        }
        if let size = source.tileSize { settings.tileSize = explicit.tileSize ?? min(max(size, 64), 4_096) }
        if let zooms = source.zooms?.clamped(to: 0...TileCoordinate.maxZoom) {
            // An explicit zoom in the settings wins even if it lies outside the zooms of the source. The layer then may
            // have no tiles.
            settings.minZoom = explicit.minZoom ?? min(zooms.lowerBound, explicit.maxZoom ?? zooms.upperBound)
            settings.maxZoom = explicit.maxZoom ?? max(zooms.upperBound, settings.minZoom)
        }
        return settings
    }
}
