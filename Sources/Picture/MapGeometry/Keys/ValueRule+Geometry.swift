import Keys

extension ValueRule where Value == Int {
    /// A zoom of tiles, or a number of zooms.
    package static var zoom: ValueRule { .integer(0...TileCoordinate.maxZoom) }
}

extension ValueRule where Value == Double {
    /// A zoom of a camera.
    package static var zoom: ValueRule { .real(0...Double(TileCoordinate.maxZoom)) }
    /// Degrees north.
    package static var latitude: ValueRule { .real(-90...90) }
    /// Degrees east.
    package static var longitude: ValueRule { .real(-180...180) }
}
