import Raster
import Tiles

/// The part of the world that one tile shows. The window finds the shapes near the tile, and converts their positions
/// to pixels of the tile.
struct WorldWindow {
    private let frame: TileFrame
    /// The number of pixels per unit of the grid. The number is a power of two or three times a power of two, so that
    /// every position in pixels is exact.
    private let unit: Double

    init(_ frame: TileFrame) {
        self.frame = frame
        unit = frame.worldSide / Double(WorldData.grid)
    }

    /// Returns the position of a place of the grid in the tile's pixels.
    func local(_ x: Double, _ y: Double) -> Point {
        frame.local(x * unit, y * unit)
    }

    func local(_ place: WorldLine.Place) -> Point {
        local(Double(place.x), Double(place.y))
    }

    /// Reports whether `box` is within `margin` pixels of the tile.
    func isNear(_ box: WorldBox, _ margin: Double) -> Bool {
        box.meets(grid(margin: margin))
    }

    /// Returns the area inside `rings` in pixels of the tile. If a run of a ring is far from the tile, a straight line
    /// replaces it, which is faster to draw.
    func area(of rings: [WorldLine]) -> Path {
        let near = grid(margin: 1)
        var path = Path()
        for ring in rings {
            var points: [Point] = []
            for run in ring.runs.indices {
                let places = ring.places(ofRun: run)
                // A run that lies completely on one side of the tile covers the same part of the tile as the straight
                // line between its ends.
                let isNear = ring.runs[run].meets(near)
                for place in isNear ? places.dropLast() : places.prefix(1) { points.append(local(place)) }
            }
            path.add(points)
        }
        return path
    }

    /// Returns the outlines of `rings` within `reach` pixels of the tile. Edges along the western, eastern and southern
    /// border of the world are left out, because the data are cut there. A point may be left out if it is near the last
    /// point that was not left out: at most `detail` pixels away in x and in y.
    func outline(of rings: [WorldLine], reach: Double, detail: Double) -> Path {
        let near = grid(margin: reach)
        let step = Int32(detail / unit)
        var path = Path()
        for ring in rings {
            var points: [Point] = []
            for run in ring.runs.indices where ring.runs[run].meets(near) {
                let places = ring.places(ofRun: run)
                guard var last = places.first, let end = places.last else { continue }
                points.append(local(last))
                for place in places.dropFirst() {
                    // Runs begin and end at the same places in every tile, so all tiles leave out the same places.
                    let isFar = abs(place.x - last.x) > step || abs(place.y - last.y) > step
                    guard isFar || place == end else { continue }
                    if last.isCut(place) {
                        // A path of a single point would be drawn as a dot.
                        if points.count > 1 { path.add(points) }
                        points = []
                    }
                    points.append(local(place))
                    last = place
                }
                if points.count > 1 { path.add(points) }
                points = []
            }
        }
        return path
    }

    private func grid(margin: Double) -> WorldBox {
        WorldBox(
            left: (frame.left - margin) / unit, top: (frame.top - margin) / unit,
            right: (frame.right + margin) / unit, bottom: (frame.bottom + margin) / unit)
    }
}
