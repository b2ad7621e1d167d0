import Foundation
import MapGeometry
import Raster
import Text
import Tiles

/// Draws the labels of a group, and then repeated labels, on a tile.
package struct LabelDrawing {
    private let frame: TileFrame
    private let zoom: Int
    private let group: LabelGroup?
    private let placed: [PlacedLabels]
    private let repeated: [Repeated]
    /// The repeated labels that reach into the tile.
    private var foundRepeated: [(label: RepeatedLabel, style: LabelStyle, center: Point)] = []

    /// Repeated labels of a layer, with the area and the opacity of the layer.
    package struct Repeated: Sendable {
        let labels: any RepeatedLabels
        let bounds: CoordinateBounds?
        let opacity: Double

        package init(_ labels: any RepeatedLabels, bounds: CoordinateBounds? = nil, opacity: Double = 1) {
            (self.labels, self.bounds, self.opacity) = (labels, bounds, opacity)
        }
    }

    /// Prepares the labels of the zoom at which the world has the points of `frame`. The first call for a zoom takes
    /// longer.
    package init(_ group: LabelGroup?, repeated: [Repeated] = [], _ frame: TileFrame) {
        (self.group, self.repeated, self.frame) = (group, repeated, frame)
        zoom = Self.zoom(of: frame)
        placed = group?.placed(zoom: zoom) ?? []
        foundRepeated = findRepeated()
    }

    /// The zoom at which a world of tiles of 256 points has the points of `frame`.
    static func zoom(of frame: TileFrame) -> Int {
        let points = frame.worldSide / frame.scale
        return min(max(Int(log2(points / 256).rounded()), 0), LabelStyle.deepestZoom)
    }

    /// Points of the world per pixel.
    private var unit: Double { 1 / frame.scale }

    /// Number of labels that reach into the tile.
    package var count: Int {
        var count = foundRepeated.count
        forEachPlaced { _, _, _ in count += 1 }
        return count
    }

    /// A label of the group as the tile shows it.
    package struct Found: Hashable, Sendable {
        /// The index of the member, and that of the label in its set.
        package let member, label: Int
        /// The place of the anchor in pixels of the world.
        package let x, y: Double
        /// The box of the text, in pixels of the world.
        package let left, top, right, bottom: Double
    }

    /// The labels of the group that reach into the tile.
    package var found: [Found] {
        var found: [Found] = []
        for (index, placed) in placed.enumerated() {
            guard let set = group?.members[index].set else { continue }
            forEach(of: set, in: placed) { item, center in
                let (x, y) = (center.x + frame.left, center.y + frame.top)
                let box = item.box
                found.append(
                    Found(
                        member: index, label: item.label, x: x, y: y, left: x + box.left * frame.scale,
                        top: y + box.top * frame.scale, right: x + box.right * frame.scale,
                        bottom: y + box.bottom * frame.scale))
            }
        }
        return found
    }

    /// Draws the labels on the tile's canvas: texts first, so that the rim of a text never covers a symbol.
    package func draw(on canvas: inout Canvas) {
        var found: [(LabelSet, LabelStyle, PlacedLabels.Item, Point)] = []
        forEachPlaced { member, item, center in
            found.append((member.set, member.set.style(of: item.label).faded(member.opacity), item, center))
        }
        for (set, style, item, center) in found { draw(item, of: set, style, at: center, on: &canvas) }
        for (_, style, _, center) in found { style.dot?.draw(at: center, scale: frame.scale, on: &canvas) }
        for (label, style, center) in foundRepeated {
            canvas.draw(
                label.text, center: center, font: Font(size: label.size * frame.scale), color: style.color,
                halo: halo(style))
        }
    }

    private func halo(_ style: LabelStyle) -> Halo? {
        style.halo.alpha > 0 ? Halo(color: style.halo, width: style.haloWidth * frame.scale) : nil
    }

    // MARK: Labels of the group

    /// Calls `body` with the labels that reach into the tile, and the places of their anchors on the canvas.
    private func forEachPlaced(_ body: (LabelGroup.Member, PlacedLabels.Item, Point) -> Void) {
        for (member, placed) in zip(group?.members ?? [], placed) {
            forEach(of: member.set, in: placed) { body(member, $0, $1) }
        }
    }

    private func forEach(of set: LabelSet, in placed: PlacedLabels, _ body: (PlacedLabels.Item, Point) -> Void) {
        // Accents and long strokes reach beyond the box of a text, which has the width and the height of plain letters.
        placed.forEach(of: set, near: area(beyond: set.largestSize(zoom: zoom))) { item, turn in
            // Rounds the place in the world, as a path does, so that all tiles round it in the same way.
            let anchor = Point(x: item.anchor.x * frame.worldSide, y: item.anchor.y * frame.worldSide).subpixelRounded
            body(item, frame.local(anchor.x + Double(turn) * frame.worldSide, anchor.y))
        }
    }

    /// Returns the tile with a margin, in points of the world.
    private func area(beyond margin: Double) -> LabelBox {
        LabelBox(
            left: frame.left * unit, top: frame.top * unit, right: frame.right * unit, bottom: frame.bottom * unit
        ).grown(by: margin)
    }

    private func draw(
        _ item: PlacedLabels.Item, of set: LabelSet, _ style: LabelStyle, at center: Point, on canvas: inout Canvas
    ) {
        let (label, block, size) = (set.labels[item.label], set.blocks[item.label], style.size(zoom: zoom))
        let font = Font(size: size * frame.scale, language: label.language)
        let reach = set.reach(of: item.label)
        let parts = block.baselines(item.spot, reach: reach, size: size, scale: frame.scale, font: font)
        if case .along(let curve) = item.spot {
            for (text, origin) in parts {
                let path = font.path(for: text, at: origin).bent(along: curve, scale: frame.scale, at: center)
                if let halo = halo(style) { canvas.stroke(path, width: 2 * halo.width, color: halo.color) }
                canvas.fill(path, color: style.color)
            }
        } else {
            for (text, origin) in parts {
                canvas.draw(
                    text, at: Point(x: center.x + origin.x, y: center.y + origin.y), font: font, color: style.color,
                    halo: halo(style))
            }
        }
    }

    // MARK: Repeated labels

    /// Half the width of the widest repeated label, and the distance from the farther edge of a symbol to its text, in
    /// points.
    private static let (widest, largestSymbol) = (160.0, 260.0)

    /// The chosen places of repeated labels, by the index of the layer and the first place of the label.
    private typealias Known = [PlaceKey: (place: Point, box: LabelBox)?]

    private struct PlaceKey: Hashable {
        let layer: Int
        let x, y: Double
    }

    private func findRepeated() -> [(label: RepeatedLabel, style: LabelStyle, center: Point)] {
        var found: [(label: RepeatedLabel, style: LabelStyle, center: Point)] = []
        var known: Known = [:]
        for (index, layer) in repeated.enumerated() {
            let style = layer.labels.style.faded(layer.opacity)
            layer.labels.forEach(near: area(beyond: Self.widest), zoom: zoom) { label in
                guard let (place, box) = place(of: label, ofLayer: index, &known),
                    box.meets(area(beyond: label.size))
                else { return }
                // Rounds to whole pixels of the world first, so that both tiles at a border round in the same way.
                let middle = Point(x: place.x * frame.scale, y: place.y * frame.scale)
                found.append((label, style, frame.local(middle.x.roundedHalfUp, middle.y.roundedHalfUp)))
            }
        }
        return found
    }

    /// Returns the first free place of a repeated label. Nil if there is none.
    private func place(
        of label: RepeatedLabel, ofLayer index: Int, _ known: inout Known
    ) -> (place: Point, box: LabelBox)? {
        guard let first = label.places.first else { return nil }
        let key = PlaceKey(layer: index, x: first.x, y: first.y)
        if let found = known[key] { return found }
        let reach = Font(size: label.size).width(of: label.text) / 2 + LabelDecision.margin
        var chosen: (place: Point, box: LabelBox)?
        for place in label.places where chosen == nil && contains(place, repeated[index].bounds) {
            let box = LabelBox(
                left: place.x - reach, top: place.y - label.size / 2 - LabelDecision.margin, right: place.x + reach,
                bottom: place.y + label.size / 2 + LabelDecision.margin)
            if isFree(box, ofLayer: index, &known) { chosen = (place, box) }
        }
        known[key] = .some(chosen)
        return chosen
    }

    private func contains(_ place: Point, _ bounds: CoordinateBounds?) -> Bool {
        let side = Double(256 << zoom)
        return bounds?.contains(Mercator.unproject(WorldPoint(x: place.x / side, y: place.y / side).inWorld)) ?? true
    }

    /// Reports whether no label of the group, and no repeated label of an earlier layer, meets the box.
    private func isFree(_ box: LabelBox, ofLayer index: Int, _ known: inout Known) -> Bool {
        var isFree = true
        for (member, placed) in zip(group?.members ?? [], placed) where isFree {
            placed.forEach(of: member.set, near: box.grown(by: Self.largestSymbol)) { item, turn in
                let (x, y) = ((item.anchor.x + Double(turn)) * placed.side, item.anchor.y * placed.side)
                let symbol = member.set.reach(of: item.label)
                if item.box.moved(x, y).meets(box) || LabelBox(around: x, y, reach: symbol).meets(box) {
                    isFree = false
                }
            }
        }
        for other in 0..<index where isFree {
            repeated[other].labels.forEach(near: box.grown(by: Self.widest), zoom: zoom) { label in
                if let found = place(of: label, ofLayer: other, &known), found.box.meets(box) { isFree = false }
            }
        }
        return isFree
    }
}

extension Path {
    /// Returns the path of a text along a curve. The anchor of the curve is moved to `center`.
    fileprivate func bent(along curve: LabelCurve, scale: Double, at center: Point) -> Path {
        var path = Path()
        for contour in contours {
            path.add(contour.map { center + curve.bent($0, scale: scale).subpixelRounded })
        }
        return path
    }
}
