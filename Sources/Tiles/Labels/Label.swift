import MapGeometry

/// A text at a place of the map.
package struct Label: Sendable, Equatable {
    /// The places at which the text may stand.
    package enum Place: Sendable, Equatable {
        /// The text stands to the right or left of a symbol on the point, or above or below it. `reach` is the distance
        /// from the middle of the symbol to its edge in points.
        case beside(WorldPoint, reach: Double)
        /// The text is centred on a point inside an area. `room` is the width of the area: 1 is the width of the world.
        /// The label is left out at each zoom at which the text is wider than `room`.
        case on(WorldPoint, room: Double)
        /// The text lies along a straight part of a line. The range has the indices of the line's vertices in the label
        /// set.
        case along(Range<Int>)
    }

    package var text: String
    package var place: Place
    /// A label of higher priority takes its place first. Of two labels with the same priority, the earlier one does.
    package var priority: Double
    /// The language of the text as a tag of BCP 47, or nil.
    package var language: String?

    package init(_ text: String, at place: Place, priority: Double = 0, language: String? = nil) {
        (self.text, self.place, self.priority, self.language) = (text, place, priority, language)
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

    func moved(_ x: Double, _ y: Double) -> LabelBox {
        LabelBox(left: left + x, top: top + y, right: right + x, bottom: bottom + y)
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
