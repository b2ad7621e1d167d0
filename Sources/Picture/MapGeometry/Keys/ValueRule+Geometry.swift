import Keys

extension ValueRule where Value == Int {
    /// The rule for a zoom of tiles or for a number of zooms.
    package static var zoom: ValueRule { .integer(0...TileCoordinate.maxZoom) }
}

extension ValueRule where Value == Double {
    /// The rule for a zoom of a camera.
    package static var zoom: ValueRule { .real(0...Double(TileCoordinate.maxZoom)) }
    /// The rule for a latitude in degrees north.
    package static var latitude: ValueRule { .real(-90...90) }
    /// The rule for a longitude in degrees east.
    package static var longitude: ValueRule { .real(-180...180) }
}
