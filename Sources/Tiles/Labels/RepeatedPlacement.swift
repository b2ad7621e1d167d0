import MapGeometry
import Raster
import Text

/// Finds the places of repeated labels at one zoom. A label is left out if all its places overlap labels of the group,
/// or repeated labels of earlier layers. The place of a label does not depend on the tile that is drawn.
package struct RepeatedPlacement {
    private let layers: [Layer]
    private let group: LabelGroup?
    private let placed: [PlacedLabels]
    private let zoom: Int
    /// The places that were found already, by label. Nil as a value: the label has no free place. A layer needs the
    /// places in earlier layers again and again.
    private var known: [Key: Place?] = [:]

    /// The repeated labels of a layer, with the area and the opacity of the layer. Nil `bounds` are the whole world.
    package struct Layer: Sendable {
        let labels: any RepeatedLabels
        let bounds: CoordinateBounds?
        let opacity: Double

        package init(_ labels: any RepeatedLabels, bounds: CoordinateBounds? = nil, opacity: Double = 1) {
            (self.labels, self.bounds, self.opacity) = (labels, bounds, opacity)
        }
    }

    /// A label at its chosen place: the middle of its text, in points of the world.
    struct Found {
        let label: RepeatedLabel
        let style: LabelStyle
        let place: Point
    }

    private struct Place {
        let middle: Point
        let box: LabelBox
    }

    /// The key of a label: the index of its layer, and the first one of its possible places.
    private struct Key: Hashable {
        let layer: Int
        let x, y: Double
    }

    /// Two distances in points within which labels are searched. `widest` is above half the width of every repeated
    /// label. `largestSymbol` is above the distance from a text to the far edge of its symbol: a GeoJSON disc is at
    /// most 256 points wide with its outline, and the gap is 3.
    private static let (widest, largestSymbol) = (160.0, 260.0)

    /// Prepares a search at `zoom`. `placed` contains the shown labels of each member of `group` at this zoom.
    init(_ layers: [Layer], _ group: LabelGroup?, _ placed: [PlacedLabels], zoom: Int) {
        (self.layers, self.group, self.placed, self.zoom) = (layers, group, placed, zoom)
    }

    /// Returns the labels that reach into `area`, a box in points of the world.
    mutating func found(on area: LabelBox) -> [Found] {
        var found: [Found] = []
        for (index, layer) in layers.enumerated() {
            let style = layer.labels.style.faded(layer.opacity)
            layer.labels.forEach(near: area.grown(by: Self.widest), zoom: zoom) { label in
                guard let place = place(of: label, ofLayer: index), place.box.meets(area.grown(by: label.size)) else {
                    return
                }
                found.append(Found(label: label, style: style, place: place.middle))
            }
        }
        return found
    }

    /// Returns the first free place of `label`, which belongs to the layer `index`. Nil if all its places are taken or
    /// outside the layer's area.
    private mutating func place(of label: RepeatedLabel, ofLayer index: Int) -> Place? {
        guard let first = label.places.first else { return nil }
        let key = Key(layer: index, x: first.x, y: first.y)
        if let found = known[key] { return found }
        let reach = Font(size: label.size).width(of: label.text) / 2 + LabelDecision.margin
        let height = label.size / 2 + LabelDecision.margin
        var chosen: Place?
        for middle in label.places where chosen == nil && contains(middle, layers[index].bounds) {
            let box = LabelBox(
                left: middle.x - reach, top: middle.y - height, right: middle.x + reach, bottom: middle.y + height)
            if isFree(box, ofLayer: index) { chosen = Place(middle: middle, box: box) }
        }
        known[key] = .some(chosen)
        return chosen
    }

    private func contains(_ place: Point, _ bounds: CoordinateBounds?) -> Bool {
        let side = Double(256 << zoom)
        return bounds?.contains(Mercator.unproject(WorldPoint(x: place.x / side, y: place.y / side).inWorld)) ?? true
    }

    /// Reports whether `box` is free: no label or symbol of the group overlaps it, and no repeated label of a layer
    /// before the layer `index`. `box` is in points of the world.
    private mutating func isFree(_ box: LabelBox, ofLayer index: Int) -> Bool {
        var isFree = true
        for (member, placed) in zip(group?.members ?? [], placed) where isFree {
            placed.forEach(of: member.set, near: box.grown(by: Self.largestSymbol)) { item, turn in
                let (x, y) = ((item.anchor.x + Double(turn)) * placed.side, item.anchor.y * placed.side)
                let symbol = LabelBox(around: x, y, reach: member.set.reach(of: item.label))
                if item.box.moved(x, y).meets(box) || symbol.meets(box) { isFree = false }
            }
        }
        for other in 0..<index where isFree {
            layers[other].labels.forEach(near: box.grown(by: Self.widest), zoom: zoom) { label in
                if let found = place(of: label, ofLayer: other), found.box.meets(box) { isFree = false }
            }
        }
        return isFree
    }
}
