import MapGeometry

/// Which tiles of a layer are to be taken back: those in an area, and what may have been made of them.
struct PurgeScope: Sendable {
    let layer: UInt16
    let area: TileArea
    private let renditions: TileArea
    private let cutOut: TileArea

    init(layer: UInt16, area: TileArea) {
        self.layer = layer
        self.area = area
        renditions = area.widened(by: 0)
        cutOut = area.widened(by: TileCoordinate.maxZoom)
    }

    func covers(_ key: TileKey) -> Bool {
        guard key.layer == layer else { return false }
        if key.variant == .source { return area.contains(key.coordinate) }
        return (key.variant.isOverzoomed ? cutOut : renditions).contains(key.coordinate)
    }
}
