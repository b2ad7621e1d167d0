import MapGeometry
import Raster

/// The part of the world that one tile shows: takes what is near from a file's content, and moves it into the tile's
/// pixels.
struct GeoJSONWindow {
    private let content: GeoJSONContent
    private let frame: TileFrame

    /// Pixels within which places of one line may be left out.
    private static let detail = 0.25

    init(_ content: GeoJSONContent, _ frame: TileFrame) {
        self.content = content
        self.frame = frame
    }

    /// What the tile shows and `margin` pixels more, moved by `turn` worlds to the west.
    func box(margin: Double, turn: Int = 0) -> GeoJSONBox {
        let (unit, turn) = (frame.worldSide, Double(turn))
        return GeoJSONBox(
            left: (frame.left - margin) / unit - turn, top: (frame.top - margin) / unit,
            right: (frame.right + margin) / unit - turn, bottom: (frame.bottom + margin) / unit)
    }

    /// A place, moved by `turn` worlds to the east, in the world's pixels, rounded as a path does: the tile's corner, a
    /// whole number, is subtracted from it without another rounding.
    func pixel(_ place: WorldPoint, turn: Int) -> Point {
        let subpixels = 256.0
        let unit = frame.worldSide * subpixels
        return Point(
            x: (place.x * unit).roundedHalfUp / subpixels + Double(turn) * frame.worldSide,
            y: (place.y * unit).roundedHalfUp / subpixels)
    }

    private func local(_ place: WorldPoint, turn: Int) -> Point {
        let pixel = pixel(place, turn: turn)
        return frame.local(pixel.x, pixel.y)
    }

    /// Adds what the rings of `shape` enclose. Of those that go around the tile far away, just enough is left.
    func add(areaOf shape: GeoJSONShape, turn: Int, to path: inout Path) {
        let near = box(margin: 1, turn: turn)
        for number in shape.lines {
            let ring = content.lines[Int(number)]
            guard ring.box.meets(near) else { continue }
            var points: [Point] = []
            content.forEachPart(of: ring, near: near, detail: Self.detail / frame.worldSide) { places, part in
                // A part on one side of the tile covers the same of it as the straight line between its ends.
                guard part == .near else { return points.append(local(content.places[places.lowerBound], turn: turn)) }
                // A short ring may be small as a whole, and must keep its area.
                let detail = ring.boxes.isEmpty ? 0 : Self.detail
                addThinned(places, turn: turn, detail: detail, to: &points)
                points.removeLast()
            }
            path.add(points)
        }
    }

    /// Adds the lines of `shape` within `reach` pixels of the tile, or the outline of an area, without what lies along
    /// the edges of the world and along the antimeridian: areas are cut there (RFC 7946 3.1.9).
    func add(linesOf shape: GeoJSONShape, turn: Int, reach: Double, to path: inout Path) {
        let near = box(margin: reach + 1, turn: turn)
        for number in shape.lines {
            let line = content.lines[Int(number)]
            guard line.box.meets(near) else { continue }
            if line.box.isSmaller(than: 2 * Self.detail / frame.worldSide) {
                path.add([local(content.places[line.places.lowerBound], turn: turn)])
                continue
            }
            content.forEachPart(of: line, near: near, detail: Self.detail / frame.worldSide) { places, part in
                guard part != .far else { return }
                if shape.kind == .area {
                    addOutline(places, turn: turn, to: &path)
                } else {
                    var points: [Point] = []
                    addThinned(places, turn: turn, detail: Self.detail, to: &points)
                    path.add(points)
                }
            }
        }
    }

    /// Adds the places of one part of a line, its ends always and the others where they are `detail` pixels away from the
    /// one before. Parts begin and end at the same places for every tile, so all leave out the same ones.
    private func addThinned(_ range: Range<Int>, turn: Int, detail: Double, to points: inout [Point]) {
        let end = range.upperBound - 1
        var last = local(content.places[range.lowerBound], turn: turn)
        points.append(last)
        for place in range.dropFirst() {
            let point = local(content.places[place], turn: turn)
            guard abs(point.x - last.x) >= detail || abs(point.y - last.y) >= detail || place == end else { continue }
            points.append(point)
            last = point
        }
    }

    private func addOutline(_ range: Range<Int>, turn: Int, to path: inout Path) {
        var start = range.lowerBound
        for place in range.dropFirst() {
            let isCut = Self.isCut(content.places[place - 1], content.places[place])
            guard isCut || place == range.upperBound - 1 else { continue }
            let end = isCut ? place : place + 1
            if end - start > 1 {
                var points: [Point] = []
                addThinned(start..<end, turn: turn, detail: Self.detail, to: &points)
                path.add(points)
            }
            start = place
        }
    }

    private static func isCut(_ first: WorldPoint, _ second: WorldPoint) -> Bool {
        first.x == second.x && first.x == first.x.rounded() || first.y == second.y && (first.y == 0 || first.y == 1)
    }
}
