import MapGeometry
import Tiles

extension WorldColors {
    package static var namesPlaces: Bool { true }

    /// The countries, largest first, then the towns, most important first. Countries have their names in `language`,
    /// and towns have English ones.
    package var places: [NamedPlace] {
        let countries = WorldCountry.all(language: language).map { NamedPlace($0.name, at: $0.place, zoom: 5) }
        // Closer than the first zoom with the town's name, so that its surroundings have names too.
        return countries + WorldTown.all.map { NamedPlace($0.name, at: $0.place, zoom: max($0.firstWholeZoom + 2, 6)) }
    }
}

extension NamedPlace {
    fileprivate init(_ name: String, at point: WorldPoint, zoom: Int) {
        let place = Mercator.unproject(point)
        self.init(name, latitude: place.latitude, longitude: place.longitude, zoom: zoom)
    }
}
