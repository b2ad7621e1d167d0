import MapGeometry
import Keys

extension ValueRule where Value == Int {
    /// A zoom of tiles, or a number of zooms.
    static var zoom: ValueRule { .integer(0...TileCoordinate.maxZoom) }
    /// A place in a stack.
    static var zIndex: ValueRule { .integer(Int(Int32.min)...Int(Int32.max)) }
}

extension ValueRule where Value == Double {
    /// A zoom of a camera.
    static var zoom: ValueRule { .real(0...Double(TileCoordinate.maxZoom)) }
    /// Degrees north.
    static var latitude: ValueRule { .real(-90...90) }
    /// Degrees east.
    static var longitude: ValueRule { .real(-180...180) }
    /// The part of its alpha with which a layer is drawn.
    static var opacity: ValueRule { .real(0...1) }
}
