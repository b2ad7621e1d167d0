import MapGeometry
import Raster
import Text

/// The name of an ocean or a sea. The name is drawn in the middle of the water.
struct WorldSea: Sendable, Equatable {
    /// The lines of the name, from north to south.
    let lines: [String]
    /// The middle of the name on the grid of `WorldData`.
    let x: Double
    let y: Double
    /// True for an ocean. Oceans are named at lower zooms, in capitals with wide spacing.
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

    /// The zooms at which the name is drawn, for a world of 256 · 2^zoom points a side. At these zooms the name fits
    /// into its water and is not too small for it.
    var zooms: ClosedRange<Int> { isOcean ? 2...5 : 4...7 }

    private static func ocean(_ lines: [String], _ latitude: Double, _ longitude: Double) -> WorldSea? {
        WorldSea(lines.map { $0.uppercased() }, latitude, longitude, isOcean: true)
    }

    private static func sea(_ lines: [String], _ latitude: Double, _ longitude: Double) -> WorldSea? {
        WorldSea(lines, latitude, longitude, isOcean: false)
    }

    /// Creates a sea. Returns nil if the coordinates are not valid.
    private init?(_ lines: [String], _ latitude: Double, _ longitude: Double, isOcean: Bool) {
        guard let place = Coordinate(latitude: latitude, longitude: longitude) else { return nil }
        let point = Mercator.project(place)
        self.lines = lines
        (x, y) = (point.x * Double(WorldData.grid), point.y * Double(WorldData.grid))
        self.isOcean = isOcean
    }
}

/// The name of a sea as it is drawn at one zoom.
struct WorldSeaLabel: Sendable, Equatable {
    let sea: WorldSea
    /// The text size in points.
    let textSize: Double
    /// The box around the name, in points from its middle. The box is wide enough for every scale.
    let box: WorldBox

    /// Creates a label. `zoom` must be one of the sea's zooms.
    init(sea: WorldSea, zoom: Int) {
        self.sea = sea
        textSize = sea.isOcean ? [9, 12, 14, 16][zoom - sea.zooms.lowerBound] : Double(7 + zoom)
        var (reachX, reachY) = (0.0, 0.0)
        for scale in [1.0, 2, 3, 4] {
            let font = Font(size: textSize * scale)
            let width = sea.lines.map { Self.width(of: $0, font, sea) }.max() ?? 0
            reachX = max(reachX, width / 2 / scale + 3)
            reachY = max(reachY, Self.leading(font) * Double(sea.lines.count) / 2 / scale + 3)
        }
        box = WorldBox(left: -reachX, top: -reachY, right: reachX, bottom: reachY)
    }

    /// Returns the letters of the name with their positions. A position is the left end of the letter's baseline, in
    /// pixels from the middle of the name.
    func letters(_ font: Font) -> [(letter: String, place: Point)] {
        sea.lines.enumerated().flatMap { index, line in
            let fromMiddle = Double(index) - Double(sea.lines.count - 1) / 2
            var place = Point(
                x: -Self.width(of: line, font, sea) / 2, y: fromMiddle * Self.leading(font) + font.capHeight / 2)
            return line.map { letter in
                defer { place.x += font.width(of: String(letter)) + Self.tracking(font, sea) }
                return (String(letter), place)
            }
        }
    }

    private static func width(of line: String, _ font: Font, _ sea: WorldSea) -> Double {
        let gap = tracking(font, sea)
        return line.reduce(-gap) { $0 + font.width(of: String($1)) + gap }
    }

    /// Returns the number of pixels between two letters.
    private static func tracking(_ font: Font, _ sea: WorldSea) -> Double {
        ((sea.isOcean ? 0.55 : 0.26) * font.size).rounded()
    }

    /// Returns the number of pixels from one line to the next.
    private static func leading(_ font: Font) -> Double {
        (1.3 * font.size).rounded()
    }
}
