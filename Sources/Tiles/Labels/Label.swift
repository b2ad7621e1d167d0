import MapGeometry

/// A text on the map, with the places at which it may stand.
package struct Label: Sendable, Equatable {
    /// The geometry to which a label belongs. The geometry decides where the text may stand.
    package enum Place: Sendable, Equatable {
        /// A text at a point, usually with a symbol. The text stands at the first free one of `spots`. `reach` is the
        /// distance in points from the middle of the symbol to its edge, or 0 if there is no symbol.
        case beside(WorldPoint, reach: Double, spots: [PlacedLabels.Spot] = PlacedLabels.Spot.beside)
        /// A text centred on a point inside an area. `room` is the width of the area, and `height` its height: 1 is the
        /// width of the world. A zoom at which the text is wider than `room` does not show the label. If the style has
        /// `isShifted`, the text may also stand above or below the point, but only within `height` around the point.
        case on(WorldPoint, room: Double, height: Double = .infinity)
        /// A text along a line, on a straight part of the line if possible. The range contains the indices of the
        /// line's vertices in `LabelSet.vertices`.
        case along(Range<Int>)
    }

    package var text: String
    package var place: Place
    /// The label with the higher priority takes its place first. Of two labels with equal priorities, the label that
    /// comes first in the list takes its place first.
    package var priority: Double
    /// The language of the text as a tag of BCP 47. Nil: the language is not known.
    package var language: String?
    /// The index of the label's style in `LabelSet.styles`.
    package var style: Int
    /// The zooms at which the label is shown, for a world of 256 · 2^zoom points a side.
    package var zooms: ClosedRange<Int>

    package init(
        _ text: String, at place: Place, priority: Double = 0, language: String? = nil, style: Int = 0,
        zooms: ClosedRange<Int> = 0...LabelStyle.deepestZoom
    ) {
        (self.text, self.place, self.priority, self.language) = (text, place, priority, language)
        (self.style, self.zooms) = (style, zooms)
    }
}

/// A box in points. The box is relative to a label's anchor, or it lies in a world of 256 · 2^zoom points a side.
package struct LabelBox: Sendable, Equatable {
    package var left: Double
    package var top: Double
    package var right: Double
    package var bottom: Double

    package init(left: Double, top: Double, right: Double, bottom: Double) {
        (self.left, self.top, self.right, self.bottom) = (left, top, right, bottom)
    }

    /// Makes a square box with the middle (`x`, `y`). `reach` is half its side.
    init(around x: Double, _ y: Double, reach: Double) {
        self.init(left: x - reach, top: y - reach, right: x + reach, bottom: y + reach)
    }

    func moved(_ x: Double, _ y: Double) -> LabelBox {
        LabelBox(left: left + x, top: top + y, right: right + x, bottom: bottom + y)
    }

    func grown(by margin: Double) -> LabelBox {
        LabelBox(left: left - margin, top: top - margin, right: right + margin, bottom: bottom + margin)
    }

    func union(_ other: LabelBox) -> LabelBox {
        LabelBox(
            left: min(left, other.left), top: min(top, other.top), right: max(right, other.right),
            bottom: max(bottom, other.bottom))
    }

    func meets(_ other: LabelBox) -> Bool {
        left < other.right && right > other.left && top < other.bottom && bottom > other.top
    }
}
