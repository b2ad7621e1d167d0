import Testing

@testable import MapGeometry

@Suite struct TileCoverTests {
    /// T-COV-1 to T-COV-4.
    @Test(arguments: CameraVectors.covers)
    func coversTheView(row: [[Double]]) throws {
        let cover = try mapView().projection(of: camera(row[0])).cover(tileZoom: Int(row[1][0]))
        #expect(cover.zoom == Int(row[1][0]) && cover.isComplete)
        #expect(cover.tiles.count == Int(row[1][1]))
        #expect(rows(of: cover) == row[2...].map { $0.map { Int($0) } })
        #expect(cover.tiles.allSatisfy { $0.rawX == $0.tile.x })
    }

    /// T-COV-5.
    @Test func wrapsColumnsAcrossTheAntimeridian() throws {
        let cover = try mapView().projection(of: camera([0, 179.9, 3])).cover(tileZoom: 3)
        #expect(rows(of: cover) == (2...5).map { [$0, 6, 9] })
        #expect(cover.tiles.count == 16)
        #expect(cover.tiles.allSatisfy { $0.tile.x == [6: 6, 7: 7, 8: 0, 9: 1][$0.rawX] })
    }

    /// T-COV-6.
    @Test(arguments: [
        (TileZoomRule.round, 7, [[41, 19, 23], [42, 19, 23], [43, 19, 23], [44, 19, 23]], 208.6093),
        (.floor, 6, [[20, 9, 11], [21, 9, 11], [22, 9, 11]], 417.2185),
    ])
    func coversByTheMapsRule(rule: TileZoomRule, zoom: Int, expected: [[Int]], points: Double) throws {
        let view = try mapView(CameraRules(tileZoomRule: rule))
        let position = try view.apply(.fit(westernCanada()), to: camera([0, 0, 0])).position
        #expect(view.tileZoom(of: position) == zoom)
        let projection = try view.projection(of: position)
        #expect(rows(of: projection.cover(tileZoom: zoom)) == expected)
        #expect(abs(projection.worldSize / Double(1 << zoom) - points) < 1e-4)
    }

    @Test(arguments: [(0...30, 16), (0...14, 14), (17...20, nil), (16...16, 16)] as [(ClosedRange<Int>, Int?)])
    func staysWithinTheLayersZooms(layerZooms: ClosedRange<Int>, zoom: Int?) throws {
        #expect(try MapView().tileZoom(of: camera([0, 0, 16]), layerZooms: layerZooms) == zoom)
    }

    @Test func asksForFinerTilesOnSharperScreens() throws {
        let position = try camera([0, 0, 16])
        #expect(MapView().tileZoom(of: position, scale: 2) == 17)
        #expect(MapView().tileZoom(of: position, scale: 2, tileSize: 512) == 16)
    }

    /// The view ends exactly at the edges of tiles. Tiles that only touch the view are not needed.
    @Test func omitsTilesThatOnlyTouchTheView() throws {
        let view = try mapView(width: 512, height: 512)
        let cover = try view.projection(of: camera([0, 0, 4])).cover(tileZoom: 4)
        #expect(rows(of: cover) == [[7, 7, 8], [8, 7, 8]])
        let turned = try view.projection(of: camera([0, 0, 4, 90])).cover(tileZoom: 4)
        #expect(rows(of: turned) == rows(of: cover))
        let moved = try view.projection(of: camera([0, 1e-6, 4])).cover(tileZoom: 4)
        #expect(rows(of: moved) == [[7, 7, 9], [8, 7, 9]])
    }

    @Test func dropsRowsBeyondTheWorldAndRepeatsColumns() throws {
        let cover = try mapView(width: 1000).projection(of: camera([0, 0, 0])).cover(tileZoom: 0)
        #expect(rows(of: cover) == [[0, -2, 2]])
        #expect(cover.tiles.map(\.rawX) == [0, -1, 1, -2, 2])
        #expect(cover.tiles.allSatisfy { $0.tile.x == 0 })
    }

    /// docs/spec/model.md ruling 17.
    @Test func putsNearTilesFirst() throws {
        let projection = try mapView().projection(of: camera([-33.8683, 151.2086, 16, 30, 65]))
        let tiles = projection.cover(tileZoom: 16).tiles
        #expect(tiles.first?.tile.description == "16/60294/39327")
        let distances = tiles.map { tile in
            let (x, y) = ((Double(tile.rawX) + 0.5) / 65536, (Double(tile.tile.y) + 0.5) / 65536)
            return (x - projection.target.x) * (x - projection.target.x) + (y - projection.target.y)
                * (y - projection.target.y)
        }
        #expect(zip(distances, distances.dropFirst()).allSatisfy { $0 <= $1 })
    }

    /// A flat view with tiles of 181 points. Its 23 columns and 12 rows are too many tiles, but one zoom level less is
    /// not.
    @Test func lowersAllTilesOfAFlatViewPastTheLimit() throws {
        let projection = try mapView(width: 4096, height: 2048).projection(of: camera([0, 0, 5.5]))
        let cover = projection.cover(tileZoom: 6)
        #expect(cover.zoom == 5 && cover.isComplete)
        #expect(Set(cover.tiles.map(\.tile.z)) == [5])
        #expect(cover.tiles.count <= 256)
        #expect(projection.cover(tileZoom: 6, limit: 1000).zoom == 6)
    }

    /// Far tiles become coarser first (docs/spec/model.md ruling 3). The far edge of a tile that is k levels coarser
    /// lies beyond 2^(k-1) times the target's depth. The parent of a finest tile begins before twice the target's
    /// depth.
    @Test(arguments: [(100, 16), (80, 16), (60, 16), (40, 16), (20, 15)])
    func lowersFarTilesFirst(limit: Int, finest: Int) throws {
        let projection = try mapView().projection(of: camera([-33.8683, 151.2086, 16, 0, 65]))
        let cover = projection.cover(tileZoom: 16, limit: limit)
        #expect(cover.zoom == finest && cover.isComplete && cover.tiles.count <= limit)
        #expect(cover.tiles.contains { $0.tile.z < finest })
        for tile in cover.tiles.map(\.tile) {
            let levels = finest - tile.z
            let parent = try #require(tile.ancestor(atZoom: tile.z - 1))
            #expect(levels == 0 ? depth(parent, 1) < 2 : depth(tile, 0) > Double(1 << levels) / 2)
        }

        /// Returns the depth of a tile's edge relative to the target's depth. `edge` is 0 for the northern edge and 1
        /// for the southern edge.
        func depth(_ tile: TileCoordinate, _ edge: Double) -> Double {
            let south = (Double(tile.y) + edge) / Double(tile.span) - projection.target.y
            return projection.depth(down: south * projection.worldSize) / projection.distance
        }
    }

    /// The horizon is 900 / tan 65° = 419.68 points above the target, so it is within this view (docs/spec/model.md
    /// ruling 6). To the east the ground has no end.
    @Test(arguments: [300.0, 500, 590], [0.0, 90])
    func endsAtTheHorizon(top: Double, bearing: Double) throws {
        let view = try mapView(padding: EdgeInsets(top: top, left: 0, bottom: 0, right: 0))
        let cover = try view.projection(of: camera([-33.8683, 151.2086, 16, bearing, 65])).cover(tileZoom: 16)
        #expect(cover.zoom == 16 && cover.isComplete && cover.tiles.count <= 256)
        #expect(cover.tiles.first?.tile.description == "16/60294/39327")
        #expect(cover.tiles.contains { $0.tile.z < 10 })
    }

    @Test func keepsTheNearestCopiesWhenTheWorldRepeatsTooOften() throws {
        let cover = try mapView(width: 4096).projection(of: camera([0, 0, 0])).cover(tileZoom: 5, limit: 5)
        #expect(cover.tiles.map(\.rawX) == [0, -1, 1, -2, 2])
        #expect(!cover.isComplete && cover.zoom == 0)
    }

    @Test(arguments: [(-5, 0), (99, 30), (Int.max, 30), (Int.min, 0)])
    func clampsTheLevelAndTheLimit(tileZoom: Int, zoom: Int) throws {
        let projection = try mapView(width: 8, height: 8).projection(of: camera([10, 10, 21]))
        #expect(projection.cover(tileZoom: tileZoom, limit: .max).zoom == zoom)
        #expect(projection.cover(tileZoom: tileZoom, limit: .min).tiles.count == 1)
    }

    @Test func survivesExtremes() throws {
        let steep = try ViewingAngleLimit(knots: [ViewingAngleLimit.Knot(zoom: 0, angle: 90.0.nextDown)])
        let sizes = [(4096.0, 4096.0), (4096, 1e-300), (1e-300, 4096), (1, 1)]
        for rules in try [
            CameraRules(zoomRange: ZoomRange(minimum: 0, maximum: 30), viewingAngleLimit: steep), CameraRules(),
        ] {
            for (width, height) in sizes {
                let padding = EdgeInsets(top: height * 0.9, left: width * 0.9, bottom: 0, right: 0)
                for view in try [
                    mapView(rules, width: width, height: height),
                    mapView(rules, width: width, height: height, padding: padding),
                ] {
                    for zoom in [0.0, 9.7, 30] {
                        for angle in [0.0, 60, 89.999999, 90] {
                            let projection = try view.projection(of: camera([85, 180, zoom, 77, angle]))
                            let cover = projection.cover(tileZoom: Int(zoom))
                            #expect(cover.tiles.count <= 256)
                        }
                    }
                }
            }
        }
    }

    /// Returns y, the least and the greatest raw column of each row of tiles. Returns only y if a column in between is
    /// missing.
    private func rows(of cover: TileCover) -> [[Int]] {
        Dictionary(grouping: cover.tiles, by: { $0.tile.y }).sorted { $0.key < $1.key }.map { y, tiles in
            let columns = tiles.map(\.rawX).sorted()
            return columns == Array(columns[0]...columns[columns.count - 1])
                ? [y, columns[0], columns[columns.count - 1]] : [y]
        }
    }
}
