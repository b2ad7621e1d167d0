import MapGeometry

/// The name of an ocean or a sea, and the place in the middle of the water at which it is drawn.
struct WorldSea: Sendable, Equatable {
    /// The name with its line breaks.
    let name: String
    /// The place for the middle of the name.
    let place: WorldPoint
    /// True for an ocean. Its name is shown from a smaller zoom on, in capitals that stand far apart.
    let isOcean: Bool

    /// The oceans and seas that the map names. Most seas with disputed names are left out.
    static let all: [WorldSea] = [
        ocean(["North", "Pacific", "Ocean"], 34, -165), ocean(["South", "Pacific", "Ocean"], -31, -122),
        ocean(["North", "Atlantic", "Ocean"], 36, -37), ocean(["South", "Atlantic", "Ocean"], -38, -14),
        ocean(["Indian", "Ocean"], -24, 79), ocean(["Arctic Ocean"], 80, -160), ocean(["Southern Ocean"], -60, 85),
        ocean(["Southern Ocean"], -62, -120), sea(["Gulf of", "Mexico"], 25.2, -90.2),
        sea(["Caribbean", "Sea"], 14.6, -74.5), sea(["Hudson", "Bay"], 59.8, -85.5), sea(["Labrador", "Sea"], 57, -53),
        sea(["Norwegian", "Sea"], 68.5, 3), sea(["Barents", "Sea"], 74.5, 38), sea(["Kara", "Sea"], 76.5, 78),
        sea(["North", "Sea"], 56.3, 3.2), sea(["Bay of", "Biscay"], 45.3, -4.6),
        sea(["Mediterranean Sea"], 34.6, 21.5), sea(["Black Sea"], 43.3, 34.2), sea(["Arabian", "Sea"], 15, 63.5),
        sea(["Bay of", "Bengal"], 14, 88), sea(["Philippine", "Sea"], 18.5, 132.5), sea(["Coral", "Sea"], -16.5, 155),
        sea(["Tasman", "Sea"], -39, 160.5), sea(["Bering", "Sea"], 57.5, -176.5),
        sea(["Sea of", "Okhotsk"], 54.5, 149.5), sea(["Scotia", "Sea"], -57, -46), sea(["Weddell", "Sea"], -73, -45),
        sea(["Ross", "Sea"], -75.5, -172),
    ].compactMap(\.self)

    /// The zooms at which the name is drawn, for a world of 256 · 2^zoom points a side. At smaller zooms the name would
    /// not fit into its water, and at deeper zooms the name would look too small in it.
    var zooms: ClosedRange<Int> { isOcean ? 2...5 : 4...7 }

    private static func ocean(_ lines: [String], _ latitude: Double, _ longitude: Double) -> WorldSea? {
        WorldSea(lines.map { $0.uppercased() }, latitude, longitude, isOcean: true)
    }

    private static func sea(_ lines: [String], _ latitude: Double, _ longitude: Double) -> WorldSea? {
        WorldSea(lines, latitude, longitude, isOcean: false)
    }

    /// Creates a sea from the lines of its name and the degrees of its place. Returns nil if the degrees are not valid.
    private init?(_ lines: [String], _ latitude: Double, _ longitude: Double, isOcean: Bool) {
        guard let place = Coordinate(validating: latitude, longitude: longitude) else { return nil }
        name = lines.joined(separator: "\n")
        self.place = Mercator.project(place)
        self.isOcean = isOcean
    }
}
