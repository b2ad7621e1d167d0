import JSON
import Raster

/// The colours and sizes with which features of a GeoJSON file are drawn. Lengths are in points, 0…`longest`. A fully
/// transparent colour draws nothing.
package struct GeoJSONStyle: Hashable, Sendable {
    /// Fill colour of areas.
    package var fill = RGBA(red: 51, green: 136, blue: 221, alpha: 77)
    /// Colour of lines and of the outlines of areas.
    package var stroke = RGBA(red: 31, green: 95, blue: 168)
    /// Width of lines and outlines. 0 draws none.
    package var width = 1.5
    /// The lengths of dashes of lines and outlines: alternately drawn and skipped. Empty for solid lines.
    package var dash: [Double] = []
    /// Radius of a point's disc without its outline. 0 draws no disc.
    package var pointRadius = 5.0
    /// Fill colour of a point's disc.
    package var pointFill = RGBA(red: 31, green: 95, blue: 168)
    /// Colour of the disc's outline.
    package var pointStroke = RGBA.white
    /// Width of the disc's outline.
    package var pointStrokeWidth = 1.5

    /// The style if neither the layer nor the file sets one: blue shapes.
    package static let standard = GeoJSONStyle()

    /// Maximum of each length of a style, in points.
    package static let longest = 64.0

    /// True if areas have a visible fill.
    var hasFill: Bool { fill.alpha > 0 }
    /// True if lines and outlines are visible.
    var hasStroke: Bool { stroke.alpha > 0 && width > 0 }
    /// The lengths of `dash` in points, alternately drawn and skipped. The array always has an even number of lengths:
    /// two lengths with a length of 0 between them become one. Empty if the line is solid: if nothing is skipped, or if
    /// the pattern is shorter than half a point and so not visible.
    var dashes: [Double] {
        var joined: [Double] = []
        for (index, length) in (dash.count.isMultiple(of: 2) ? dash : dash + dash).enumerated() {
            // Joins two drawn lengths with a gap of 0 between them, and two gaps with a drawn length of 0 between them.
            if joined.count % 2 != index % 2 { joined[joined.count - 1] += length } else { joined.append(length) }
            if index % 2 == 1, length == 0, joined.count.isMultiple(of: 2) { joined.removeLast() }
        }
        if joined.count % 2 == 1 { joined.append(0) }
        let gaps = stride(from: 1, to: joined.count, by: 2).reduce(0) { $0 + joined[$1] }
        return gaps > 0 && joined.reduce(0, +) >= 0.5 ? joined : []
    }
    /// True if the discs of points are visible.
    var hasDisc: Bool { pointFill.alpha > 0 && pointRadius > 0 || pointStroke.alpha > 0 && pointStrokeWidth > 0 }

    /// Distance in points from the middle of a disc to its outer edge.
    var pointReach: Double { pointRadius + (pointStroke.alpha > 0 ? pointStrokeWidth : 0) }

    /// Maximum distance in points by which lines and discs extend beyond the bounding box of their feature.
    var reach: Double {
        max(stroke.alpha > 0 ? width / 2 : 0, pointReach)
    }
}

extension GeoJSONStyle {
    /// Returns this style, changed by the feature's own `properties` (simplestyle-spec 1.1.0), which are positions of
    /// values in `text`. Ignores invalid colours and numbers out of range.
    ///
    /// If the feature gives a colour without an opacity, the opacity of the same colour in this style is used. If the
    /// colour in this style is fully transparent, a fill gets the opacity 0.6, which is the default of the
    /// specification, and other colours are opaque.
    func changed(by properties: [String: Int], of text: JSONText) -> GeoJSONStyle {
        func color(_ name: String) -> RGBA? {
            guard let value = properties[name], text.kind(of: value) == .string else { return nil }
            return RGBA(simplestyle: text.string(at: value))
        }
        func number(_ name: String, _ range: ClosedRange<Double>) -> Double? {
            guard let value = properties[name], text.kind(of: value) == .number else { return nil }
            let number = text.number(at: value).number
            return range.contains(number) ? number : nil
        }
        func mixed(_ own: RGBA, _ name: String, opacity: String, otherwise: UInt8) -> RGBA {
            guard var mixed = color(name) ?? (own.alpha > 0 ? own : nil) else { return own }
            mixed.alpha =
                number(opacity, 0...1).map { UInt8(($0 * 255).rounded()) } ?? (own.alpha > 0 ? own.alpha : otherwise)
            return mixed
        }
        var style = self
        style.fill = mixed(fill, "fill", opacity: "fill-opacity", otherwise: 153)
        style.stroke = mixed(stroke, "stroke", opacity: "stroke-opacity", otherwise: 255)
        style.width = number("stroke-width", 0...Self.longest) ?? width
        if var disc = color("marker-color") {
            disc.alpha = pointFill.alpha > 0 ? pointFill.alpha : 255
            style.pointFill = disc
        }
        return style
    }
}

extension RGBA {
    /// Parses `#rgb` or `#rrggbb`. The `#` is optional in simplestyle.
    fileprivate init?(simplestyle text: String) {
        let marked = text.utf8.first == UInt8(ascii: "#") ? text : "#" + text
        // Refuses `#rrggbbaa`: simplestyle has no colours with alpha.
        guard marked.utf8.count <= 7 else { return nil }
        self.init(marked)
    }
}
