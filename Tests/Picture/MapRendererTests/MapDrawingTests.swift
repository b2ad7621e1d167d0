import MapGeometry
import Raster
import Testing

@testable import MapRenderer

/// Images that are drawn step by step, with few tiles at a time.
@Suite struct MapDrawingTests {
    struct Camera: Sendable, CustomTestStringConvertible {
        var zoom = 4.3
        var bearing = 0.0
        var angle = 0.0
        var longitude = 179.0
        var zooms = 0...22

        var testDescription: String { "zoom \(zoom), bearing \(bearing), angle \(angle), zooms \(zooms)" }
    }

    static let cameras = [
        Camera(), Camera(zoom: 4, bearing: 90), Camera(zoom: 4.49, bearing: 137), Camera(zoom: 16.6, angle: 60),
        Camera(zoom: 15.8, bearing: 211, angle: 65), Camera(zoom: 0, longitude: 100), Camera(zoom: 1.2, bearing: 45),
        // The layer has no coarser zooms, so far tiles are halved.
        Camera(zoom: 15, bearing: 20, angle: 65, zooms: 15...15),
    ]

    /// The tiles have 64 pixels, so that an image has many tiles. The third layer is partly translucent.
    private func plan(_ camera: Camera, width: Double = 300, height: Double = 200) throws -> RenderPlan {
        let layers = [
            RenderLayer(tileSize: 64, zooms: camera.zooms),
            RenderLayer(tileSize: 64, zooms: camera.zooms, opacity: 0.6, blend: .multiply),
            RenderLayer(tileSize: 32, zooms: camera.zooms),
        ]
        return try RenderSamples.plan(
            latitude: 31, longitude: camera.longitude, zoom: camera.zoom, bearing: camera.bearing, angle: camera.angle,
            width: width, height: height, layers: layers)
    }

    private func tile(_ id: RenderSchedule.Tile.ID) -> Pixmap? {
        let place = id.coordinate
        // Some tiles are missing.
        guard (place.x + place.y + id.layer) % 5 != 0 else { return nil }
        let side = [64, 64, 32][id.layer]
        return RenderSamples.tile(place, size: side) { x, y in
            let mixed = (x &* 73_856_093 ^ y &* 19_349_663 ^ id.layer) &* 83_492_791
            let isClear = id.layer == 2 && place.x % 2 == 0
            return RGBA(
                red: UInt8(truncatingIfNeeded: mixed >> 3), green: UInt8(truncatingIfNeeded: mixed >> 11),
                blue: UInt8(truncatingIfNeeded: mixed >> 19),
                alpha: isClear ? UInt8(truncatingIfNeeded: mixed >> 27) : 255)
        }
    }

    private func drawn(_ plan: RenderPlan, _ schedule: RenderSchedule) -> Pixmap {
        let drawing = MapDrawing(plan)
        for step in schedule.steps {
            var pyramids: [RenderSchedule.Tile.ID: TilePyramid] = [:]
            for id in step.tiles.map(\.id) {
                let side = plan.layers[id.layer].layer.tileSize
                pyramids[id] = tile(id).map { TilePyramid($0, side: side, halvings: id.halvings) }
            }
            #expect(drawing.draw(step, tiles: pyramids) { true })
        }
        return drawing.finish()
    }

    private func whole(_ plan: RenderPlan) -> Pixmap {
        let halvings = Halvings()
        return RenderSamples.image(plan) { place, layer in
            tile(RenderSchedule.Tile.ID(layer: layer, coordinate: place, halvings: halvings))
        }
    }

    /// With the large limits all layers are drawn at once. With the small limits they are drawn one after the other.
    @Test(arguments: cameras, [2 << 20, 400_000, 150_000, 1])
    func drawsTheSameWithFewTilesAtATime(camera: Camera, limit: Int) throws {
        let plan = try plan(camera)
        let schedule = RenderSchedule(plan, limit: limit)
        #expect(drawn(plan, schedule) == whole(plan))
    }

    @Test(arguments: cameras) func needsAllTilesOfThePlan(camera: Camera) throws {
        let plan = try plan(camera)
        let all = RenderSchedule(plan)
        #expect(all.steps.count == 1 && all.rowBytes == 0)
        #expect(all.steps[0].tiles.allSatisfy { $0.isFirst && $0.isLast && !$0.comesBack })
        for limit in [Int.max, 150_000] {
            let tiles = RenderSchedule(plan, limit: limit).steps.flatMap(\.tiles)
            for (index, layer) in plan.layers.enumerated() {
                let needed = Set(tiles.filter { $0.id.layer == index }.map(\.id.coordinate))
                // The plan may contain a few tiles that only supply the edge of a neighbour.
                #expect(needed.isSubset(of: layer.tiles) && needed.count * 10 >= layer.tiles.count * 9)
            }
        }
    }

    @Test func staysWithinItsLimit() throws {
        let plan = try plan(Camera(), width: 600, height: 400)
        let all = RenderSchedule(plan)
        let less = RenderSchedule(plan, limit: all.tileBytes / 2)
        #expect(less.steps.count > 1 && less.tileBytes <= all.tileBytes / 2)
        // Rows that need a tile follow each other, so no tile is needed again later.
        #expect(less.steps.flatMap(\.tiles).allSatisfy { !$0.comesBack })
        #expect(less.rowBytes == 0)

        let least = RenderSchedule(plan, limit: 1_000_000)
        #expect(least.tileBytes <= 1_000_000)
        #expect(least.rowBytes > 0 && least.rowBytes <= 500_000)
        #expect(least.steps.flatMap(\.tiles).contains { $0.comesBack })
        // Each tile is the first once and the last once.
        let tiles = least.steps.flatMap(\.tiles)
        #expect(tiles.count(where: \.isFirst) == tiles.count(where: \.isLast))
        #expect(tiles.count(where: \.isFirst) == Set(tiles.map(\.id)).count)
    }

    /// A band of rows that needs more than the limit from one layer is drawn all the same.
    @Test func exceedsTheLimitForASingleBand() throws {
        let schedule = RenderSchedule(try plan(Camera(bearing: 45)), limit: 1)
        #expect(schedule.tileBytes > 1)
        #expect(schedule.steps.count >= 3 * 13)
    }

    @Test func stopsDrawingWhenUnwanted() throws {
        let plan = try plan(Camera())
        for limit in [Int.max, 150_000] {
            let drawing = MapDrawing(plan)
            let step = try #require(
                RenderSchedule(plan, limit: limit).steps.first { $0.rows.lowerBound > 0 || limit == .max })
            #expect(!drawing.draw(step, tiles: [:]) { false })
        }
    }
}
