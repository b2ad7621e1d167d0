import Foundation
import MapGeometry
import Raster
import Testing

@testable import Labels
@testable import Tiles

/// Which labels are shown, and where. The decisions depend on the labels and the zoom alone.
@Suite struct LabelSetTests {
    /// A repeatable sequence of numbers in 0..<1.
    private struct Numbers {
        var state: UInt64
        mutating func next() -> Double {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Double(state >> 11) / 0x1p53
        }
    }

    private static func towns(_ count: Int, seed: UInt64 = 88_172_645_463_325_252) -> LabelSet {
        var numbers = Numbers(state: seed)
        let labels = (0..<count).map { index in
            let point = WorldPoint(x: numbers.next(), y: numbers.next())
            let priority = (numbers.next() * 50).rounded()
            return Label("Town \(index)", at: .beside(point, reach: 4), priority: priority)
        }
        return LabelSet(labels, vertices: [], size: 11)
    }

    private func boxes(_ set: LabelSet, zoom: Int) -> [LabelBox] {
        let side = Double(256 << zoom)
        return set.placed(zoom: zoom).items(of: set).map { $0.box.moved($0.anchor.x * side, $0.anchor.y * side) }
    }

    @Test(arguments: [0, 1, 3, 6, 10]) func placesTextsWithoutOverlaps(zoom: Int) {
        let set = Self.towns(2_000)
        let side = Double(256 << zoom)
        let boxes = boxes(set, zoom: zoom)
        #expect(!boxes.isEmpty && boxes.count <= 2_000)
        for (index, box) in boxes.enumerated() {
            #expect(box.top >= 0 && box.bottom <= side)
            for other in boxes[(index + 1)...] {
                for shift in [-side, 0, side] { #expect(!box.moved(shift, 0).meets(other)) }
            }
        }
    }

    /// A label that is left out meets a label of higher priority, or one that came earlier.
    @Test func leavesOutOnlyWhatIsCovered() {
        let set = Self.towns(500)
        let placed = Set(set.placed(zoom: 2).items(of: set).map(\.label))
        #expect(placed.contains(0) && placed.count < 500)
        let priorities = set.labels.map(\.priority)
        #expect(priorities == priorities.sorted(by: >))
        // All labels are there where there is room.
        #expect(set.placed(zoom: 16).items(of: set).count == 500)
    }

    @Test func decidesTheSameEachTime() {
        for zoom in [0, 4, 9] {
            let (one, other) = (Self.towns(1_000), Self.towns(1_000))
            #expect(one.placed(zoom: zoom).items(of: one) == other.placed(zoom: zoom).items(of: other))
        }
    }

    /// The tiles of a zoom find each label in all tiles that it reaches, and in no other tile.
    @Test(arguments: 0...5) func findsTheLabelsOfEachTile(zoom: Int) {
        let set = Self.towns(3_000)
        let placed = set.placed(zoom: zoom)
        let side = Double(256 << zoom)
        for row in 0..<min(1 << zoom, 8) {
            for column in 0..<min(1 << zoom, 8) {
                let area = LabelBox(
                    left: Double(column * 256), top: Double(row * 256), right: Double(column * 256 + 256),
                    bottom: Double(row * 256 + 256))
                var found: [Int] = []
                placed.forEach(of: set, near: area) { item, _ in found.append(item.label) }
                var expected: [Int] = []
                for item in placed.items(of: set) {
                    for shift in [-side, 0, side] {
                        let box = item.box.moved(item.anchor.x * side + shift, item.anchor.y * side)
                        if box.meets(area) { expected.append(item.label) }
                    }
                }
                #expect(found.sorted() == expected.sorted(), "\(zoom)/\(column)/\(row)")
            }
        }
    }

    // MARK: Places

    @Test func takesAnotherPlaceIfTheFirstIsTaken() {
        let first = Label("A long name", at: .beside(WorldPoint(x: 0.5, y: 0.5), reach: 4), priority: 2)
        // 20 points east of the first symbol, which the first text would cover.
        let second = Label("B", at: .beside(WorldPoint(x: 0.5 + 20 / 1_024, y: 0.5), reach: 4), priority: 3)
        let set = LabelSet([first, second], vertices: [], size: 11)
        let items = set.placed(zoom: 2).items(of: set).sorted { $0.label < $1.label }
        #expect(items.map(\.spot) == [.right, .left])
    }

    @Test func staysWithinAnArea() {
        let label = Label("Park", at: .on(WorldPoint(x: 0.5, y: 0.5), room: 30 / 256))
        let set = LabelSet([label], vertices: [], size: 11)
        #expect(set.placed(zoom: 0).items(of: set).map(\.spot) == [.middle(0)])
        let wide = LabelSet([Label("A long name of a park", at: label.place)], vertices: [], size: 11)
        #expect(wide.placed(zoom: 0).items(of: wide).isEmpty && wide.placed(zoom: 4).items(of: wide).count == 1)
    }

    @Test(
        arguments: [
            (WorldPoint(x: 0.6, y: 0.6), 45), (WorldPoint(x: 0.4, y: 0.4), 45), (WorldPoint(x: 0.4, y: 0.6), -45),
            (WorldPoint(x: 0.6, y: 0.5), 0), (WorldPoint(x: 0.5, y: 0.4), 90),
        ] as [(WorldPoint, Double)])
    func followsALineAndIsNeverUpsideDown(end: WorldPoint, degrees: Double) throws {
        let angle = degrees / 180 * .pi
        let set = LabelSet(
            [Label("Road", at: .along(0..<2))], vertices: [WorldPoint(x: 0.5, y: 0.5), end], size: 11)
        #expect(set.placed(zoom: 0).items(of: set).isEmpty)
        let item = try #require(set.placed(zoom: 3).items(of: set).first)
        guard case .along(let curve) = item.spot, curve.points.count == 2 else { throw WrongSpot() }
        let ahead = curve.points[1] - curve.points[0]
        #expect(abs(atan2(ahead.y, ahead.x) - angle) < 1e-6)
        #expect(abs(item.anchor.x - (0.5 + end.x) / 2) < 1e-9 && abs(item.anchor.y - (0.5 + end.y) / 2) < 1e-9)
    }

    private struct WrongSpot: Error {}

    /// A zigzag has no straight part that is long enough, and a long arm has.
    @Test func leavesOutBentLines() {
        let zigzag = (0..<200).map { WorldPoint(x: 0.4 + Double($0) * 0.001, y: $0.isMultiple(of: 2) ? 0.5 : 0.51) }
        let arm = [WorldPoint(x: 0.9, y: 0.5)]
        for (vertices, count) in [(zigzag, 0), (zigzag + arm, 1)] {
            let set = LabelSet([Label("A road", at: .along(0..<vertices.count))], vertices: vertices, size: 11)
            #expect(set.placed(zoom: 1).items(of: set).count == count)
        }
    }

    @Test func crossesTheAntimeridianOnlyIfItMust() {
        let edge = WorldPoint(x: 0.999, y: 0.5)
        let set = LabelSet([Label("Taveuni", at: .beside(edge, reach: 4))], vertices: [], size: 11)
        #expect(set.placed(zoom: 2).items(of: set).map(\.spot) == [.left])
        let middle = LabelSet([Label("Taveuni", at: .on(edge, room: 1))], vertices: [], size: 11)
        var turns: [Int] = []
        middle.placed(zoom: 2).forEach(of: middle, near: LabelBox(left: 0, top: 0, right: 256, bottom: 1_024)) {
            turns.append($1)
        }
        #expect(turns == [-1])
    }

    /// A text that is wider than the world would cover itself.
    @Test func leavesOutATextThatIsWiderThanTheWorld() {
        let text = String(repeating: "wide", count: 30)
        let set = LabelSet([Label(text, at: .beside(WorldPoint(x: 0.5, y: 0.5), reach: 4))], vertices: [], size: 64)
        #expect(set.placed(zoom: 0).items(of: set).isEmpty && set.placed(zoom: 6).items(of: set).count == 1)
    }

    // MARK: Limits

    /// A file of roads. The decision takes bounded time and memory, and is kept.
    @Test(.timeLimit(.minutes(1))) func boundsLabelsAlongLines() {
        let name = String(repeating: "road ", count: 20)
        let vertices = (0..<LabelSet.most).flatMap { index in
            let (x, y) = (Double(index % 500) / 500, 0.1 + 0.8 * Double(index / 500) / 400)
            return [WorldPoint(x: x, y: y), WorldPoint(x: x + 0.0019, y: y + 0.0005)]
        }
        let labels = (0..<LabelSet.most).map { Label(name, at: .along(2 * $0..<2 * $0 + 2)) }
        let set = LabelSet(labels, vertices: vertices, styles: [LabelStyle(size: 4)])
        let group = LabelGroup(set)
        let placed = group.placed(zoom: 12)[0]
        #expect(placed.items(of: set).count > 1_000 && placed.size < 24 << 20)
        for _ in 0..<1_000 { _ = group.placed(zoom: 12) }
    }

    @Test func keepsTheMostImportantLabels() {
        let labels = (0..<LabelSet.most + 5).map { index in
            Label("\(index)", at: .on(WorldPoint(x: 0.5, y: 0.5), room: 1), priority: Double(index))
        }
        let set = LabelSet(labels, vertices: [], size: 11, leftOut: 3)
        #expect(set.labels.count == LabelSet.most && set.leftOut == 8 && set.bytes <= LabelSet.mostBytes)
        #expect(set.labels.first?.text == "\(LabelSet.most + 4)")
        // All of them are at one place.
        #expect(set.placed(zoom: 20).items(of: set).map(\.label) == [0])
    }

    @Test func wrapsLongTexts() {
        let block = TextBlock("A long name of a large park")
        #expect(block.lines == ["A long name of a", "large park"] || block.lines.count == 2)
        #expect(block.width <= 10)
    }

    @Test func findsTheZoomOfAFrame() {
        for zoom in [0, 1, 7, 30] {
            for scale in 1...4 {
                let frame = TileFrame(x: 0, y: 0, zoom: zoom, scale: scale, tileSize: .standard)
                #expect(LabelDrawing.zoom(of: frame) == zoom)
            }
            #expect(LabelDrawing.zoom(of: TileFrame(x: 0, y: 0, zoom: zoom, scale: 1, tileSize: .double)) == zoom + 1)
        }
    }
}

extension LabelSet {
    /// Makes a set of labels of one size.
    convenience init(_ labels: [Label], vertices: [WorldPoint], size: Double, leftOut: Int = 0) {
        self.init(labels, vertices: vertices, styles: [LabelStyle(size: size)], leftOut: leftOut)
    }

    /// Returns the labels that are shown if the set is alone.
    func placed(zoom: Int) -> PlacedLabels { LabelGroup(self).placed(zoom: zoom)[0] }
}
