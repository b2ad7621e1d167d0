import MapGeometry
import MapRenderer
import Testing

struct RenderPlanTests {
    private func tiles(_ plan: RenderPlan) -> Set<String> {
        Set(plan.layers[0].tiles.map(\.description))
    }

    // T-COV-1 and T-COV-2: no ground is far enough away for coarser tiles.
    @Test(arguments: [(0.0, 12), (45, 20)])
    func needsTheTilesThatTheViewOverlaps(angle: Double, count: Int) throws {
        let plan = try RenderSamples.plan(
            latitude: -33.8683, longitude: 151.2086, zoom: 16, angle: angle, width: 800, height: 600)
        #expect(plan.layers[0].tiles.count == count)
        #expect(plan.layers[0].tiles.first?.description == "16/60294/39327")
        #expect(plan.tileZoom == 16)
    }

    // T-COV-4.
    @Test func needsAllTilesOfAZoomWithoutCoarserZooms() throws {
        let plan = try RenderSamples.plan(
            latitude: -33.8683, longitude: 151.2086, zoom: 16, angle: 65, width: 800, height: 600,
            layers: [RenderLayer(zooms: 16...16)])
        #expect(plan.layers[0].tiles.count == 101)
    }

    // T-COV-5.
    @Test func wrapsAroundTheWorld() throws {
        let plan = try RenderSamples.plan(longitude: 179.9, zoom: 3, width: 800, height: 600)
        #expect(plan.layers[0].tiles.count == 16)
        #expect(Set(plan.layers[0].tiles.map(\.x)) == [6, 7, 0, 1])
        #expect(Set(plan.layers[0].tiles.map(\.y)) == [2, 3, 4, 5])
    }

    // T-COV-6.
    @Test(arguments: [(TileZoomRule.round, 7, 20), (.floor, 6, 9)])
    func choosesTheZoomByTheRule(rule: TileZoomRule, zoom: Int, count: Int) throws {
        let view = MapView(viewport: try Viewport.checked(width: 800, height: 600))
        let camera = try CameraPosition.checked(latitude: 50.163378172, longitude: -118.58, zoom: 6.704629187)
        let plan = RenderPlan(projection: try view.projection(of: camera), layers: [RenderLayer()], rule: rule)
        #expect(plan.tileZoom == zoom)
        #expect(plan.layers[0].tiles.count == count)
    }

    @Test(arguments: [(1, 256, 10), (2, 512, 10), (2, 256, 11), (1, 512, 9), (2, 128, 12)])
    func choosesTheZoomByScaleAndTileSize(scale: Int, size: Int, zoom: Int) throws {
        let plan = try RenderSamples.plan(zoom: 10, scale: scale, layers: [RenderLayer(tileSize: size)])
        #expect(plan.tileZoom == zoom)
    }

    @Test func takesFarTilesFromCoarserZooms() throws {
        let plan = try RenderSamples.plan(
            latitude: -33.8683, longitude: 151.2086, zoom: 16, angle: 65, width: 800, height: 600)
        #expect(Set(plan.layers[0].tiles.map(\.z)) == [16, 15, 14])
        #expect(plan.tileZoom == 16)
        #expect(plan.layers[0].tiles.count < 101)
    }

    @Test func ordersTilesByTheirDistance() throws {
        let plan = try RenderSamples.plan(
            latitude: 20, longitude: 179.99, zoom: 12, bearing: 40, width: 800, height: 600)
        let target = Mercator.project(plan.projection.camera.target)
        let distances = plan.layers[0].tiles.map { tile in
            let (x, y) = ((Double(tile.x) + 0.5) / 4096 - target.x, (Double(tile.y) + 0.5) / 4096 - target.y)
            let across = x - x.rounded()
            return (across * across + y * y).squareRoot()
        }
        #expect(distances == distances.sorted())
    }

    @Test func magnifiesTheDeepestTiles() throws {
        let plan = try RenderSamples.plan(zoom: 12, layers: [RenderLayer(zooms: 0...9)])
        #expect(plan.tileZoom == 9)
    }

    @Test func leavesOutALayerThatHasOnlyDeeperTiles() throws {
        let plan = try RenderSamples.plan(zoom: 12, layers: [RenderLayer(zooms: 13...20), RenderLayer()])
        #expect(plan.layers[0].tiles.isEmpty)
        #expect(plan.tileZoom == 12)
    }

    @Test func leavesOutTilesBeyondTheBounds() throws {
        let southWest = try #require(Coordinate(validating: 10, longitude: 10))
        let northEast = try #require(Coordinate(validating: 20, longitude: 20))
        let bounds = try CoordinateBounds.checked(southWest: southWest, northEast: northEast)
        let plan = try RenderSamples.plan(zoom: 2, layers: [RenderLayer(bounds: bounds)])
        #expect(tiles(plan) == ["2/2/1"])
    }

    @Test func needsNoTilesForALayerWithEmptyBounds() throws {
        let plan = try RenderSamples.plan(zoom: 2, layers: [RenderLayer(bounds: .empty)])
        #expect(plan.layers[0].tiles.isEmpty)
        #expect(plan.tileZoom == nil)
    }

    @Test func lowersFarZoomsBeforeAll() throws {
        func zooms(_ limit: Int, _ zooms: ClosedRange<Int> = 0...22) throws -> (finest: Int?, count: Int, coarse: Int) {
            let plan = try RenderSamples.plan(
                latitude: 40, longitude: 20, zoom: 16, angle: 60, width: 800, height: 600,
                layers: [RenderLayer(zooms: zooms)], limit: limit)
            let tiles = plan.layers[0].tiles
            return (plan.tileZoom, tiles.count, tiles.filter { $0.z < 16 }.count)
        }
        let all = try zooms(256)
        let some = try zooms(all.count - 1)
        #expect(some.finest == 16 && some.count < all.count)
        let few = try zooms(6)
        #expect(few.count <= 6 && few.finest.map { $0 < 16 } == true)
        let nearest = try zooms(6, 16...16)
        #expect(nearest.count <= 6 && nearest.finest == 16)
    }
}
