import Raster

/// The name of a sea at one zoom.
struct WorldSeaLabel: Sendable, Equatable {
    let sea: WorldSea
    /// Points.
    let textSize: Double
    /// The box around the name in points from its middle; wide enough at every scale.
    let box: WorldBox

    /// `zoom` is one of the sea's.
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

    /// The letters of the name, and where each stands, in pixels from the middle to its left end on the baseline.
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

    /// Pixels between two letters.
    private static func tracking(_ font: Font, _ sea: WorldSea) -> Double {
        ((sea.isOcean ? 0.55 : 0.26) * font.size).rounded()
    }

    /// Pixels from one line to the next.
    private static func leading(_ font: Font) -> Double {
        (1.3 * font.size).rounded()
    }
}
