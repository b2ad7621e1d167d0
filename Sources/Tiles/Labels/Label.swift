import MapGeometry

/// A text at a place of the map.
package struct Label: Sendable, Equatable {
    /// The places at which the text may stand.
    package enum Place: Sendable, Equatable {
        /// The text stands at one of the spots, of which the best one comes first. `reach` is the distance from the
        /// point to the edge of its symbol in points, and 0 without a symbol.
        case beside(WorldPoint, reach: Double, spots: [PlacedLabels.Spot] = PlacedLabels.Spot.beside)
        /// The text is centred on a point inside an area. `room` is the width of the area: 1 is the width of the world.
        /// The label is left out at each zoom at which the text is wider than `room`. A text of a shifted style stands
        /// above or below the point only if it stays within `height` around the point.
        case on(WorldPoint, room: Double, height: Double = .infinity)
        /// The text lies along a line, on a straight part if there is one. The range has the indices of the line's
        /// vertices in the label set.
        case along(Range<Int>)
    }

    package var text: String
    package var place: Place
    /// A label of higher priority takes its place first. Of two labels with the same priority, the earlier one does.
    package var priority: Double
    /// The language of the text as a tag of BCP 47. Nil: it is not known.
    package var language: String?
    /// The index of the label's style in its set.
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

/// A box in points, relative to an anchor or in the world of a zoom.
package struct LabelBox: Sendable, Equatable {
    package var left: Double
    package var top: Double
    package var right: Double
    package var bottom: Double

    package init(left: Double, top: Double, right: Double, bottom: Double) {
        (self.left, self.top, self.right, self.bottom) = (left, top, right, bottom)
    }

    /// Makes a box of two times `reach` a side around a place.
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
