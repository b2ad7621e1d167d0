import Foundation
import MapGeometry
import Raster
import TestPictures
import Testing

@testable import Labels
@testable import Tiles

/// Labels of several layers that are drawn together.
@Suite struct LabelGroupTests {
    private static let middle = WorldPoint(x: 0.5, y: 0.5)

    private func set(_ labels: [Label], _ style: LabelStyle = LabelStyle(size: 11)) -> LabelSet {
        LabelSet(labels, styles: [style])
    }

    private func row(_ name: String, _ count: Int, y: Double) -> [Label] {
        (0..<count).map {
            Label("\(name) \($0)", at: .beside(WorldPoint(x: Double($0) / Double(count), y: y), reach: 3))
        }
    }

    /// The labels of one member never cover those of another. A later member fills what the earlier one leaves.
    @Test(arguments: [1, 3, 5]) func placesMembersOneAfterTheOther(zoom: Int) {
        let (upper, lower) = (set(row("upper", 30, y: 0.5)), set(row("lower", 30, y: 0.501)))
        let group = LabelGroup([LabelGroup.Member(upper), LabelGroup.Member(lower)])
        let placed = group.placed(zoom: zoom)
        let side = Double(256 << zoom)
        #expect(placed[0].items(of: upper) == LabelGroup(upper).placed(zoom: zoom)[0].items(of: upper))
        func boxes(_ index: Int, _ set: LabelSet) -> [LabelBox] {
            placed[index].items(of: set).map { $0.box.moved($0.anchor.x * side, $0.anchor.y * side) }
        }
        for box in boxes(1, lower) { #expect(boxes(0, upper).allSatisfy { !$0.meets(box) }) }
        #expect(placed[1].items(of: lower).count <= LabelGroup(lower).placed(zoom: zoom)[0].items(of: lower).count)
    }

    @Test func keepsToZoomsAndBounds() {
        let labels = set([
            Label("west", at: .beside(WorldPoint(x: 0.25, y: 0.5), reach: 3)),
            Label("east", at: .beside(WorldPoint(x: 0.75, y: 0.5), reach: 3)),
            Label("deep", at: .beside(WorldPoint(x: 0.6, y: 0.5), reach: 3), zooms: 5...6),
        ])
        var member = LabelGroup.Member(labels)
        member.zooms = 2...5
        member.bounds = GeographicBox(validatingWest: 0, south: -10, east: 180, north: 10).map { CoordinateBounds($0) }
        let group = LabelGroup([member])
        func shown(_ zoom: Int) -> [String] {
            group.placed(zoom: zoom)[0].items(of: labels).map { labels.labels[$0.label].text }.sorted()
        }
        #expect(shown(1).isEmpty && shown(2) == ["east"] && shown(5) == ["deep", "east"] && shown(6).isEmpty)
    }

    @Test func growsWithTheZoom() {
        let style = LabelStyle(sizes: [10, 20])
        let labels = LabelSet([Label("Name", at: .on(Self.middle, room: 1))], styles: [style])
        func height(_ zoom: Int) -> Double {
            let box = LabelGroup(labels).placed(zoom: zoom)[0].items(of: labels)[0].box
            return box.bottom - box.top - 2 * LabelDecision.margin
        }
        #expect(abs(height(0) - 9.7) < 1e-9 && abs(height(1) - 19.4) < 1e-9 && height(9) == height(1))
    }

    /// The name of the area would cover the symbol, and stands above or below it.
    @Test func keepsOffLandmarks() {
        var (area, town) = (LabelStyle(size: 12), LabelStyle(size: 11))
        (area.isShifted, town.isLandmark) = (true, true)
        func spot(_ styles: [LabelStyle]) -> [PlacedLabels.Spot] {
            let labels = LabelSet(
                [
                    Label("Land", at: .on(Self.middle, room: 1), priority: 2),
                    Label("Town", at: .beside(Self.middle, reach: 3), style: 1),
                ], styles: styles)
            return LabelGroup(labels).placed(zoom: 2)[0].items(of: labels).sorted { $0.label < $1.label }.map(\.spot)
        }
        #expect(spot([area, LabelStyle(size: 11)]) == [.middle(0)])
        let found = spot([area, town])
        #expect(found.count == 2 && found[0] != .middle(0))
    }

    @Test(arguments: [PlacedLabels.Spot.above, .below, .left, .right, .middle(0)])
    func takesOnlyTheGivenSpots(spot: PlacedLabels.Spot) {
        let labels = set([Label("Name", at: .beside(Self.middle, reach: 4, spots: [spot]))])
        #expect(LabelGroup(labels).placed(zoom: 3)[0].items(of: labels).map(\.spot) == [spot])
    }

    // MARK: Repeated labels

    /// A text in each square of 64 points, which may stand in two places.
    private struct Squares: RepeatedLabels {
        let text: String
        let style = LabelStyle(size: 10, color: .black)

        func forEach(near area: LabelBox, zoom: Int, _ body: (RepeatedLabel) -> Void) {
            for row in Int((area.top / 64).rounded(.down))...Int((area.bottom / 64).rounded(.down)) {
                for column in Int((area.left / 64).rounded(.down))...Int((area.right / 64).rounded(.down)) {
                    let (x, y) = (Double(column) * 64 + 32, Double(row) * 64)
                    body(RepeatedLabel(text, size: 10, places: [Point(x: x, y: y + 20), Point(x: x, y: y + 44)]))
                }
            }
        }
    }

    private func ink(_ pixmap: Pixmap, _ columns: Range<Int>, _ rows: Range<Int>) -> Int {
        rows.reduce(0) { sum, row in sum + columns.count { pixmap.color($0, row).alpha > 0 } }
    }

    private func frame(_ zoom: Int = 2) -> TileFrame {
        TileFrame(x: 1, y: 1, zoom: zoom, scale: 1, tileSize: .standard)
    }

    /// A large text covers the first places of one row of squares, and both places of the squares under it.
    @Test func repeatedLabelsGiveWay() {
        func picture(_ group: LabelGroup?) -> (Pixmap, Int) {
            let drawing = LabelDrawing(group, repeated: [RepeatedPlacement.Layer(Squares(text: "xx"))], frame())
            var canvas = Canvas(width: 256, height: 256)
            drawing.draw(on: &canvas)
            return (canvas.pixmap, drawing.count)
        }
        let (plain, all) = picture(nil)
        // The first place of each square.
        #expect(all >= 16 && ink(plain, 0..<64, 10..<30) > 0 && ink(plain, 0..<64, 34..<54) == 0)
        // In the middle of the tile, over the upper place of a square.
        let place = WorldPoint(x: (256 + 96) / 1_024.0, y: (256 + 64 + 20) / 1_024.0)
        let labels = LabelSet(
            [Label("W", at: .on(place, room: 1))], styles: [LabelStyle(size: 14, color: .transparent)])
        let (moved, count) = picture(LabelGroup(labels))
        #expect(count == all + 1)
        #expect(ink(plain, 64..<128, 74..<94) > 0 && ink(plain, 64..<128, 98..<118) == 0)
        #expect(ink(moved, 64..<128, 74..<94) == 0 && ink(moved, 64..<128, 98..<118) > 0)
        // A text over both places leaves the label out.
        let tall = LabelSet(
            [Label("W", at: .on(WorldPoint(x: place.x, y: (256 + 96) / 1_024.0), room: 1))],
            styles: [LabelStyle(size: 50, color: .transparent)])
        let (without, fewer) = picture(LabelGroup(tall))
        #expect(fewer <= all && ink(without, 64..<128, 64..<128) == 0)
    }

    /// The second layer finds the first one's labels, and takes its other places.
    @Test func repeatedLabelsOfTwoLayersDoNotOverlap() {
        let drawing = LabelDrawing(
            nil,
            repeated: [RepeatedPlacement.Layer(Squares(text: "xx")), RepeatedPlacement.Layer(Squares(text: "ii"))],
            frame())
        var canvas = Canvas(width: 256, height: 256)
        drawing.draw(on: &canvas)
        for square in 0..<4 {
            let rows = 64 * square
            #expect(ink(canvas.pixmap, 0..<64, rows + 10..<rows + 30) > 0)
            #expect(ink(canvas.pixmap, 0..<64, rows + 34..<rows + 54) > 0)
        }
    }

    /// Four tiles together equal one drawing of their square, with curves, symbols and repeated labels.
    @Test(arguments: [1.0, 2, 3]) func tilesEqualOneDrawing(scale: Double) {
        var dotted = LabelStyle(size: 11, color: .black, halo: .white)
        dotted.dot = LabelDot(size: 5, color: .black, rim: .white, ring: .white)
        var spaced = LabelStyle(size: 13, color: .black)
        spaced.spacing = 0.4
        let curve = (0...100).map { index in
            let x = Double(index) / 100
            return WorldPoint(x: 0.3 + 0.4 * x, y: 0.5 + 0.04 * sin(x * 6))
        }
        var labels = [
            Label("A name along a long curve of the map", at: .along(0..<curve.count), style: 1),
            Label("SEA", at: .on(WorldPoint(x: 0.5, y: 0.42), room: 1), style: 2),
        ]
        for index in 0..<40 {
            let (x, y) = (0.3 + 0.05 * Double(index % 8), 0.35 + 0.06 * Double(index / 8))
            labels.append(Label("Gräfin \(index)", at: .beside(WorldPoint(x: x, y: y), reach: 3.5)))
        }
        let group = LabelGroup(
            LabelSet(labels, vertices: curve, styles: [dotted, LabelStyle(size: 12, color: .black), spaced]))
        let side = Int(256 * scale)
        func pixels(_ frame: TileFrame) -> Pixmap {
            var canvas = Canvas(width: frame.side, height: frame.side)
            LabelDrawing(group, repeated: [RepeatedPlacement.Layer(Squares(text: "12°E"), opacity: 0.5)], frame).draw(
                on: &canvas)
            return canvas.pixmap
        }
        let whole = pixels(
            TileFrame(
                left: Double(side), top: Double(side), side: 2 * side, scale: scale, worldSide: Double(side * 4)))
        #expect(whole.bytes.contains { $0 != 0 })
        for (column, row) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            let tile = pixels(
                TileFrame(
                    left: Double(side * (1 + column)), top: Double(side * (1 + row)), side: side, scale: scale,
                    worldSide: Double(side * 4)))
            let lines = (0..<side).filter { line in
                let from = ((row * side + line) * side * 2 + column * side) * 4
                return whole.bytes[from..<from + side * 4] != tile.bytes[line * side * 4..<(line + 1) * side * 4]
            }
            #expect(lines.isEmpty, "tile \(column), \(row) at \(scale)")
        }
    }

    @Test func fadesWithTheOpacityOfAMember() {
        let labels = LabelSet(
            [Label("WWW", at: .on(WorldPoint(x: 0.375, y: 0.375), room: 1))],
            styles: [LabelStyle(size: 40, color: RGBA(red: 0, green: 0, blue: 0))])
        func strongest(_ opacity: Double) -> UInt8 {
            var member = LabelGroup.Member(labels)
            member.opacity = opacity
            var canvas = Canvas(width: 256, height: 256)
            LabelDrawing(LabelGroup([member]), frame()).draw(on: &canvas)
            return (0..<256 * 256).map { canvas.pixmap.color($0 % 256, $0 / 256).alpha }.max() ?? 0
        }
        #expect(strongest(1) == 255 && strongest(0.5) == 128 && strongest(0) == 0)
    }
}
