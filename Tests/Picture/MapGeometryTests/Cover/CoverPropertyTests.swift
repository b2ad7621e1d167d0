import Foundation
import Testing

@testable import MapGeometry

/// Compares the tile cover of random cameras with the definition in docs/spec/model.md 11.1.
@Suite struct CoverPropertyTests {
    /// A tile is needed if its square and the view's quadrilateral overlap on every axis that is at right angles to one
    /// of their sides (separating axes). Overlaps below a millionth of a tile are not tested.
    @Test(arguments: 0..<60)
    func coversExactlyTheOverlappingTiles(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let view = try mapView(
            width: .random(in: 1...1200, using: &generator), height: .random(in: 1...900, using: &generator))
        let projection = try view.projection(of: randomCamera(&generator))
        let zoom = TileZoomRule.round.tileZoom(cameraZoom: projection.camera.zoom)
        let cover = projection.cover(tileZoom: zoom, limit: 4000)
        #expect(cover.isComplete && cover.tiles.allSatisfy { $0.tile.z == zoom })
        let found = Set(cover.tiles.map { Cell(z: zoom, x: $0.rawX, y: $0.tile.y) })
        #expect(found.count == cover.tiles.count)

        let side = 1 / Double(1 << zoom)
        let screen = [
            (0, 0), (view.viewport?.width ?? 0, 0), (view.viewport?.width ?? 0, view.viewport?.height ?? 0),
            (0, view.viewport?.height ?? 0),
        ]
        let quadrilateral = try screen.map {
            let point = try #require(projection.worldPoint(at: ScreenPoint(x: $0.0, y: $0.1)))
            return WorldPoint(x: point.x / side, y: point.y / side)
        }
        let (xs, ys) = (quadrilateral.map(\.x), quadrilateral.map(\.y))
        let columns = Int(xs.reduce(.infinity, min)) - 3...Int(xs.reduce(-.infinity, max)) + 3
        let rows =
            max(0, Int(ys.reduce(.infinity, min)) - 3)...min((1 << zoom) - 1, Int(ys.reduce(-.infinity, max)) + 3)
        #expect(found.allSatisfy { columns.contains($0.x) && rows.contains($0.y) })
        for x in columns {
            for y in rows {
                let overlap = overlap(of: quadrilateral, withTileX: Double(x), y: Double(y))
                if overlap.magnitude < 1e-6 { continue }
                #expect(found.contains(Cell(z: zoom, x: x, y: y)) == (overlap > 0), "\(zoom)/\(x)/\(y): \(overlap)")
            }
        }
    }

    /// Each sampled pixel that shows ground lies in exactly one tile of some level. More pixels are sampled at the
    /// edges of the view. Pixels within a millionth of a tile from a tile's edge are skipped. Views with a horizon are
    /// tested down to an eighth of a point below the horizon.
    @Test(arguments: 0..<60, [40, 256])
    func coversEachPixelWithOneTile(seed: Int, limit: Int) throws {
        var generator = SeededGenerator(seed: UInt64(1000 + seed))
        let (width, height) = (
            Double.random(in: 100...4096, using: &generator), Double.random(in: 100...2048, using: &generator)
        )
        let padded = EdgeInsets(
            top: height * .random(in: 0...0.9, using: &generator), left: 0, bottom: 0, right: width / 3)
        let view = try mapView(width: width, height: height, padding: seed % 2 == 0 ? .zero : padded)
        let projection = try view.projection(of: randomCamera(&generator))
        let cover = projection.cover(
            tileZoom: TileZoomRule.round.tileZoom(cameraZoom: projection.camera.zoom), limit: limit)
        #expect(cover.tiles.count <= limit)
        guard cover.isComplete else { return }
        let cells = Set(cover.tiles.map { Cell(z: $0.tile.z, x: $0.rawX, y: $0.tile.y) })
        let levels = Set(cells.map(\.z))
        let tilt = projection.tilt
        let horizon = tilt.sine > 0 ? projection.center.y - projection.distance * tilt.cosine / tilt.sine : -.infinity
        let fractions =
            [0, 1e-6, 1e-3, 1 - 1e-3, 1 - 1e-6, 1] + (0..<25).map { _ in Double.random(in: 0...1, using: &generator) }
        for u in fractions {
            for v in fractions where v * height > horizon + 0.13 {
                let world = try #require(projection.worldPoint(at: ScreenPoint(x: u * width, y: v * height)))
                guard (0..<1).contains(world.y) else { continue }
                let places = levels.map { (z: $0, x: world.x * Double(1 << $0), y: world.y * Double(1 << $0)) }
                if places.contains(where: { abs($0.x - $0.x.rounded()) < 1e-6 || abs($0.y - $0.y.rounded()) < 1e-6 }) {
                    continue
                }
                let holding = places.filter {
                    cells.contains(Cell(z: $0.z, x: Int($0.x.rounded(.down)), y: Int($0.y.rounded(.down))))
                }
                #expect(holding.count == 1, "\(u), \(v): \(holding)")
            }
        }
    }

    private struct Cell: Hashable {
        let z: Int
        let x: Int
        let y: Int
    }

    private func randomCamera(_ generator: inout SeededGenerator) throws -> CameraPosition {
        try camera([
            .random(in: -85...85, using: &generator), .random(in: -180...180, using: &generator),
            .random(in: 0...21, using: &generator), .random(in: 0...360, using: &generator),
            .random(in: 0...65, using: &generator),
        ])
    }

    /// Returns the least overlap of the polygon and the unit square at x, y over all axes. The overlap is negative if
    /// an axis separates them.
    private func overlap(of polygon: [WorldPoint], withTileX x: Double, y: Double) -> Double {
        let square = [(0.0, 0.0), (1, 0), (1, 1), (0, 1)].map { WorldPoint(x: x + $0.0, y: y + $0.1) }
        var axes = [(1.0, 0.0), (0.0, 1.0)]
        for (start, end) in zip(polygon, polygon.dropFirst() + polygon.prefix(1)) {
            let length = hypot(end.x - start.x, end.y - start.y)
            axes.append(((end.y - start.y) / length, (start.x - end.x) / length))
        }
        return axes.map { axis in
            let first = polygon.map { $0.x * axis.0 + $0.y * axis.1 }
            let second = square.map { $0.x * axis.0 + $0.y * axis.1 }
            return min(first.reduce(-.infinity, max), second.reduce(-.infinity, max))
                - max(first.reduce(.infinity, min), second.reduce(.infinity, min))
        }.reduce(.infinity, min)
    }
}
