import Configuration
import MapGeometry
import Tiles

extension LayerSettings {
    /// These settings, with what the layer's source says instead of defaults.
    func completed(by source: SourceDescription) -> LayerSettings {
        var settings = self
        settings.name = name ?? source.name
        settings.description = description ?? source.description
        // The author of an MBTiles file is not trusted, and clients show an attribution as HTML.
        settings.attribution = attribution ?? source.attribution.flatMap(AttributionText.harmless)
        settings.bounds = bounds ?? source.bounds
        if let size = source.tileSize { settings.tileSize = explicit.tileSize ?? min(max(size, 64), 4_096) }
        if let zooms = source.zooms?.clamped(to: 0...TileCoordinate.maxZoom) {
            // Where a zoom that was set lies beyond all zooms of the source, it wins, and there are no tiles.
            settings.minZoom = explicit.minZoom ?? min(zooms.lowerBound, explicit.maxZoom ?? zooms.upperBound)
            settings.maxZoom = explicit.maxZoom ?? max(zooms.upperBound, settings.minZoom)
        }
        return settings
    }
}
