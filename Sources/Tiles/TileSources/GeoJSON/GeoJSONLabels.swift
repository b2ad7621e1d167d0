import Foundation
import JSON
import Labels
import MapGeometry
import Raster
import Tiles

/// The rules by which features of a GeoJSON file get labels: text, priority, look and placement.
package struct GeoJSONLabelStyle: Sendable, Equatable {
    /// The templates for the text of a label. A feature uses the first template of which it has all properties.
    let templates: [GeoJSONTemplate]
    let priority: GeoJSONPriority
    let look: LabelStyle
    let placement: GeoJSONSource.LabelPlacement
    /// True if features get labels at all.
    let isVisible: Bool
    /// True if a feature that cannot use any of the templates gets its property `title` as its label
    /// (simplestyle-spec).
    let usesTitle: Bool

    /// The rules if the configuration has none: dark texts from the property `title`.
    package static let standard = GeoJSONLabelStyle(GeoJSONSource(path: ""))

    /// Makes the rules for labels from the settings `labels`, `label…`, `priority` and `simplestyle` of `source`.
    /// Leaves out invalid templates. An invalid priority becomes 0.
    package init(_ source: GeoJSONSource) {
        templates = source.label.compactMap(GeoJSONTemplate.init)
        priority = GeoJSONPriority(source.priority) ?? .number(0)
        look = LabelStyle(size: source.labelSize, color: source.labelColor, halo: source.labelHalo)
        placement = source.labelPlacement
        (isVisible, usesTitle) = (source.labels && source.labelColor.alpha > 0, source.simplestyle)
    }

    /// Returns the text of a feature's label, with its language and priority. Returns nil if labels are off, or if the
    /// feature has no text for one. `properties` contains, for the name of each property, the position of its value in
    /// the JSON `text`.
    func label(_ properties: [String: Int], of text: JSONText) -> GeoJSONBuilder.FeatureLabel? {
        guard isVisible else { return nil }
        for template in templates {
            guard let filled = template.filled(properties, of: text) else { continue }
            return make(filled, language: template.language, properties, text)
        }
        guard usesTitle, let title = properties["title"], text.kind(of: title) == .string else { return nil }
        return make(text.string(at: title), language: nil, properties, text)
    }

    private func make(
        _ filled: String, language: String?, _ properties: [String: Int], _ text: JSONText
    ) -> GeoJSONBuilder.FeatureLabel? {
        let plain = PlainText.of(filled, limit: Self.mostCharacters, lines: true)
        guard plain.contains(where: { !$0.isWhitespace }) else { return nil }
        return GeoJSONBuilder.FeatureLabel(
            text: plain, language: language, priority: priority.value(properties, of: text), placement: placement)
    }

    /// Maximum number of Unicode scalars of a label. A longer text is cut.
    private static let mostCharacters = 200
}

extension GeoJSONBuilder {
    /// The label of a feature, before its places on the map are known.
    struct FeatureLabel {
        let text: String
        let language: String?
        let priority: Double
        let placement: GeoJSONSource.LabelPlacement
    }

    /// Adds the label of a feature, whose shapes are all `shapes` from the index `first` on. Each point of the feature
    /// gets the label. Of the feature's lines, only the line with the largest box (width plus height) gets the label.
    /// Of its areas, only the area with the largest box gets the label.
    mutating func add(_ label: FeatureLabel, toShapesFrom first: Int) {
        var (line, area): (Int?, Int?) = (nil, nil)
        func size(_ index: Int?) -> Double {
            guard let index else { return -1 }
            let box = shapes[index].box
            return (box.right - box.left) + (box.bottom - box.top)
        }
        for index in first..<shapes.count {
            switch shapes[index].kind {
            case .point:
                let style = styles[Int(shapes[index].style)]
                let reach = style.hasDisc ? style.pointReach : 0
                let box = shapes[index].box
                let spots = label.placement.spots ?? (reach > 0 ? PlacedLabels.Spot.beside : [.middle(0)])
                append(label, .beside(WorldPoint(x: box.left, y: box.top), reach: reach, spots: spots))
            case .line: if size(index) > size(line) { line = index }
            case .area: if size(index) > size(area) { area = index }
            }
        }
        if let line {
            let vertices = lines[Int(shapes[line].lines.lowerBound)].vertices
            append(label, label.placement == .center ? .on(middle(of: vertices), room: .infinity) : .along(vertices))
        }
        if let area, let inner = innerPoint(of: shapes[area]) { append(label, .on(inner.point, room: inner.width)) }
    }

    private mutating func append(_ label: FeatureLabel, _ place: Label.Place) {
        labels.append(Label(label.text, at: place, priority: label.priority, language: label.language))
        // If there are twice as many labels as a set can have, keeps the half with the highest priorities. Sorting only
        // then costs little.
        guard labels.count >= 2 * LabelSet.most else { return }
        let order = labels.indices.sorted { one, other in
            labels[one].priority != labels[other].priority ? labels[one].priority > labels[other].priority : one < other
        }
        leftOutLabels += labels.count - LabelSet.most
        labels = order.prefix(LabelSet.most).sorted().map { labels[$0] }
    }

    /// Returns the point halfway along a line. `range` contains the indices of the line's points in `vertices`.
    private func middle(of range: Range<Int>) -> WorldPoint {
        let line = vertices[range]
        let steps = zip(line, line.dropFirst()).map { hypot($1.x - $0.x, $1.y - $0.y) }
        var rest = steps.reduce(0, +) / 2
        for (index, step) in steps.enumerated() {
            guard rest > step else {
                let (one, other) = (line[range.lowerBound + index], line[range.lowerBound + index + 1])
                let share = step > 0 ? rest / step : 0
                return WorldPoint(x: one.x + (other.x - one.x) * share, y: one.y + (other.y - one.y) * share)
            }
            rest -= step
        }
        return vertices[range.upperBound - 1]
    }

    /// Returns a point well inside an area, and the width of the area at this point, where 1 is the width of the world.
    /// Crosses the area with five lines from west to east. Takes the middle of the longest piece of a line inside the
    /// area, but a later piece must be more than a quarter longer than the best piece before. Returns nil if no line
    /// crosses the area.
    private func innerPoint(of shape: GeoJSONShape) -> (point: WorldPoint, width: Double)? {
        let box = shape.box
        var best: (point: WorldPoint, width: Double)?
        for share in [0.5, 0.4, 0.6, 0.25, 0.75] {
            let y = box.top + (box.bottom - box.top) * share
            var crossings: [Double] = []
            for number in shape.lines {
                let ring = lines[Int(number)].vertices
                for index in ring.dropFirst() {
                    let (one, other) = (vertices[index - 1], vertices[index])
                    guard (one.y > y) != (other.y > y) else { continue }
                    crossings.append(one.x + (y - one.y) / (other.y - one.y) * (other.x - one.x))
                }
            }
            crossings.sort()
            for index in stride(from: 0, to: crossings.count - 1, by: 2) {
                let width = crossings[index + 1] - crossings[index]
                // Prefers the pieces of the first lines, which are nearest to the middle of the area: a text looks best
                // there.
                guard width > (best?.width ?? 0) * (best == nil ? 1 : 1.25) else { continue }
                best = (WorldPoint(x: (crossings[index] + crossings[index + 1]) / 2, y: y), width)
            }
        }
        return best
    }
}

extension GeoJSONSource.LabelPlacement {
    /// The places of a text relative to its point. Nil for `auto`: the text then stands beside a point that has a
    /// visible disc, and on a point without one.
    fileprivate var spots: [PlacedLabels.Spot]? {
        switch self {
        case .auto: nil
        case .right: [.right]
        case .left: [.left]
        case .above: [.above]
        case .below: [.below]
        case .center: [.middle(0)]
        }
    }
}
