import Raster
import Tiles

/// The part of the world that one tile shows. Finds the shapes near the tile, and converts their places to pixels of
/// the tile.
struct WorldWindow {
    private let frame: TileFrame
    /// Pixels per unit of `WorldData.grid`. The value is a power of two, or three times one, so that every place in
    /// pixels is exact.
    private let unit: Double

    init(_ frame: TileFrame) {
        self.frame = frame
        unit = frame.worldSide / Double(WorldData.grid)
    }

    /// Returns a place of the grid in pixels of the tile.
    func local(_ x: Double, _ y: Double) -> Point {
        frame.local(x * unit, y * unit)
    }

    func local(_ place: WorldLine.Place) -> Point {
        local(Double(place.x), Double(place.y))
    }

    /// Reports whether `box`, which is in units of the grid, is at most `margin` pixels from the tile.
    func isNear(_ box: WorldBox, _ margin: Double) -> Bool {
        box.meets(grid(margin: margin))
    }

    /// Returns the area inside `rings` in pixels of the tile. If a run of a ring is far from the tile, a straight line
    /// replaces the run, which is faster to draw.
    func area(of rings: [WorldLine]) -> Path {
        let near = grid(margin: 1)
        var path = Path()
        for ring in rings {
            var points: [Point] = []
            for run in ring.runs.indices {
                let places = ring.places(ofRun: run)
                // A run that lies completely on one side of the tile fills the same part of the tile as the straight
                // line between the run's ends.
                let isNear = ring.runs[run].meets(near)
                for place in isNear ? places.dropLast() : places.prefix(1) { points.append(local(place)) }
            }
            path.add(points)
        }
        return path
    }

    /// Returns the parts of the outlines of `rings` within `reach` pixels of the tile. Leaves out edges along the
    /// western, eastern and southern border of the world, where the data are cut. A place may also be left out if it is
    /// at most `detail` pixels in x and in y from the last place that was used.
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
                    // The first and last place of a run are always used. All tiles divide a ring into the same runs, so
                    // all tiles leave out the same places.
                    let isFar = abs(place.x - last.x) > step || abs(place.y - last.y) > step
                    guard isFar || place == end else { continue }
                    if last.isCut(place) {
                        // A contour of a single point would be drawn as a dot.
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
