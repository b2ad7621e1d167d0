import Foundation
import Raster
import Text
import Tiles

/// Draws labels on one tile: first the labels of a group, then repeated labels.
package struct LabelDrawing {
    private let frame: TileFrame
    private let zoom: Int
    private let group: LabelGroup?
    private let placed: [PlacedLabels]
    /// The repeated labels that reach into the tile.
    private let repeated: [RepeatedPlacement.Found]

    /// Finds the labels that the tile of `frame` shows. `group` may be nil. The first call for a zoom takes longer,
    /// because the group then decides which labels the zoom shows.
    package init(_ group: LabelGroup?, repeated: [RepeatedPlacement.Layer] = [], _ frame: TileFrame) {
        (self.group, self.frame) = (group, frame)
        let zoom = Self.zoom(of: frame)
        let placed = group?.placed(zoom: zoom) ?? []
        (self.zoom, self.placed) = (zoom, placed)
        var placement = RepeatedPlacement(repeated, group, placed, zoom: zoom)
        self.repeated = placement.found(on: Self.area(of: frame))
    }

    /// Returns the zoom z at which a world of 256 · 2^z points has the size of the world of `frame`, in points.
    static func zoom(of frame: TileFrame) -> Int {
        let points = frame.worldSide / frame.scale
        return min(max(Int(log2(points / 256).rounded()), 0), LabelStyle.deepestZoom)
    }

    /// Returns the box of the tile in points of the world.
    private static func area(of frame: TileFrame) -> LabelBox {
        let scale = frame.scale
        return LabelBox(
            left: frame.left / scale, top: frame.top / scale, right: frame.right / scale, bottom: frame.bottom / scale)
    }

    /// Number of labels that reach into the tile.
    package var count: Int {
        var count = repeated.count
        forEachPlaced { _, _, _ in count += 1 }
        return count
    }

    /// A label of the group, at its place on the tile.
    package struct Found: Hashable, Sendable {
        /// The index of the label's member in the group, and the index of the label in the member's set.
        package let member, label: Int
        /// The place of the label's anchor, in pixels of the world.
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

    /// Draws the labels on the tile's canvas. The group's texts come before its symbols, so that the halo of a text
    /// never covers a symbol.
    package func draw(on canvas: inout Canvas) {
        var found: [(LabelSet, LabelStyle, PlacedLabels.Item, Point)] = []
        forEachPlaced { member, item, center in
            found.append((member.set, member.set.style(of: item.label).faded(member.opacity), item, center))
        }
        for (set, style, item, center) in found { draw(item, of: set, style, at: center, on: &canvas) }
        for (_, style, _, center) in found { style.dot?.draw(at: center, scale: frame.scale, on: &canvas) }
        for found in repeated {
            // Rounds to whole pixels in the coordinates of the world, so that two tiles that share a label round in the
            // same way.
            let middle = Point(x: found.place.x * frame.scale, y: found.place.y * frame.scale)
            canvas.draw(
                found.label.text, center: frame.local(middle.x.roundedHalfUp, middle.y.roundedHalfUp),
                font: Font(size: found.label.size * frame.scale), color: found.style.color, halo: halo(found.style))
        }
    }

    private func halo(_ style: LabelStyle) -> Halo? {
        style.halo.alpha > 0 ? Halo(color: style.halo, width: style.haloWidth * frame.scale) : nil
    }

    // MARK: Labels of the group

    /// Calls `body` with each label of the group that reaches into the tile. The last argument is the place of the
    /// label's anchor on the canvas in pixels.
    private func forEachPlaced(_ body: (LabelGroup.Member, PlacedLabels.Item, Point) -> Void) {
        for (member, placed) in zip(group?.members ?? [], placed) {
            forEach(of: member.set, in: placed) { body(member, $0, $1) }
        }
    }

    private func forEach(of set: LabelSet, in placed: PlacedLabels, _ body: (PlacedLabels.Item, Point) -> Void) {
        // Adds a margin of the font size: accents and long strokes reach beyond a text's box, which has the width and
        // height of plain letters.
        placed.forEach(of: set, near: Self.area(of: frame).grown(by: set.largestSize(zoom: zoom))) { item, turn in
            // Rounds in the coordinates of the world, as a path does, so that all tiles round the place in the same
            // way.
            let anchor = Point(x: item.anchor.x * frame.worldSide, y: item.anchor.y * frame.worldSide).subpixelRounded
            body(item, frame.local(anchor.x + Double(turn) * frame.worldSide, anchor.y))
        }
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
}

extension Path {
    /// Returns this path of a straight text, bent along `curve`. The anchor of the curve is placed at `center` on the
    /// canvas. `scale` is the number of pixels per point.
    fileprivate func bent(along curve: LabelCurve, scale: Double, at center: Point) -> Path {
        var path = Path()
        for contour in contours {
            path.add(contour.map { center + curve.bent($0, scale: scale).subpixelRounded })
        }
        return path
    }
}
