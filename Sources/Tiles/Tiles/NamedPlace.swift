/// A place with its name, for people who search the map.
package struct NamedPlace: Sendable, Hashable {
    package let name: String
    /// Degrees north, and degrees east.
    package let latitude: Double
    package let longitude: Double
    /// The zoom at which a map shows the place in its surroundings.
    package let zoom: Int

    package init(_ name: String, latitude: Double, longitude: Double, zoom: Int) {
        self.name = name
        self.latitude = latitude
        self.longitude = longitude
        self.zoom = zoom
    }
}
