import Testing

@testable import MapGeometry

@Suite struct MapViewTests {
    /// T-ZOOM-1, T-ZOOM-2.
    @Test(arguments: CameraVectors.clampedZooms)
    func movesZoomsIntoTheRange(row: [Double]) throws {
        let view = try MapView(rules: CameraRules(zoomRange: ZoomRange(minimum: 10, maximum: 15)))
        let resolved = try view.normalized(camera([0, 0, row[0]]))
        #expect(resolved.position.zoom == row[1])
        #expect(resolved.clamped == (row[0] == row[1] ? [] : [.zoom]))
    }

    /// T-ZOOM-3, T-ZOOM-5.
    @Test(arguments: [(12.0, 15.0), (12, 12), (0, 30)])
    func acceptsAscendingRanges(minimum: Double, maximum: Double) throws {
        let range = try ZoomRange(minimum: minimum, maximum: maximum)
        #expect(range.minimum == minimum && range.maximum == maximum)
    }

    /// T-ZOOM-4.
    @Test func rejectsInvertedRanges() {
        #expect(throws: CameraError.zoomRangeInverted(minimum: 15, maximum: 10)) {
            try ZoomRange(minimum: 15, maximum: 10)
        }
    }

    @Test(arguments: [
        (-1.0, 5.0, CameraParameter.minZoom), (0, 30.5, .maxZoom), (.nan, 5, .minZoom), (0, .infinity, .maxZoom),
    ])
    func rejectsRangesBeyondThePyramid(minimum: Double, maximum: Double, parameter: CameraParameter) {
        #expect {
            _ = try ZoomRange(minimum: minimum, maximum: maximum)
        } throws: {
            ($0 as? CameraError)?.parameter == parameter
        }
    }

    /// T-ZOOM-6.
    @Test(arguments: [(256.0, 0.0), (512, 1), (600, 1.228819), (1024, 2), (100, 0)])
    func fillsTheViewByItsHeight(height: Double, zoom: Double) throws {
        let view = try mapView(CameraRules(fillsViewport: true), width: 4096, height: height)
        #expect(abs(view.minZoom - zoom) < 1e-6)
        #expect(try mapView(width: 4096, height: height).minZoom == 0)
        #expect(MapView(rules: CameraRules(fillsViewport: true)).minZoom == 0)
    }

    @Test func keepsTheRangeValidWhenTheViewIsTooTall() throws {
        let rules = try CameraRules(zoomRange: ZoomRange(minimum: 0, maximum: 1), fillsViewport: true)
        let view = try mapView(rules, height: 4096)
        #expect(view.minZoom == 1 && view.maxZoom == 1)
    }

    @Test func startsAtTheWholeWorld() throws {
        #expect(try MapView().defaultCamera == camera([0, 0, 0]))
        #expect(try MapView(rules: CameraRules(zoomRange: .sdk)).defaultCamera == camera([0, 0, 2]))
        #expect(try mapView(CameraRules(fillsViewport: true), height: 512).defaultCamera == camera([0, 0, 1]))
    }

    @Test(
        arguments: [
            ([], nil), ([(10.0, 30.0), (10, 40)], 10.0), ([(10, 30), (9, 40)], 9),
        ] as [([(Double, Double)], Double?)])
    func rejectsKnotsWithoutAscendingZooms(knots: [(Double, Double)], zoom: Double?) {
        #expect(throws: CameraError.knotsNotAscending(zoom: zoom)) {
            try ViewingAngleLimit(knots: knots.map { ViewingAngleLimit.Knot(zoom: $0.0, angle: $0.1) })
        }
    }

    @Test(arguments: [-1.0, 90, .nan, .infinity])
    func rejectsKnotsWithInvalidAngles(angle: Double) {
        #expect {
            _ = try ViewingAngleLimit(knots: [ViewingAngleLimit.Knot(zoom: 10, angle: angle)])
        } throws: {
            ($0 as? CameraError)?.parameter == .maxTiltKnots
        }
    }

    @Test func appliesASingleKnotAtEveryZoom() throws {
        let limit = try ViewingAngleLimit(knots: [ViewingAngleLimit.Knot(zoom: 5, angle: 40)])
        #expect([0, 5, 21].map(limit.angle) == [40, 40, 40])
    }

    @Test(arguments: [
        (0.0, 600.0, CameraParameter.width), (800, 0, .height), (-1, 600, .width), (.nan, 600, .width),
        (800, .infinity, .height), (4097, 600, .width), (800, 4096.5, .height),
    ])
    func rejectsInvalidSizes(width: Double, height: Double, parameter: CameraParameter) {
        #expect {
            _ = try Viewport.checked(width: width, height: height)
        } throws: {
            ($0 as? CameraError)?.parameter == parameter
        }
    }

    @Test(arguments: [
        EdgeInsets(top: -1, left: 0, bottom: 0, right: 0), EdgeInsets(top: 0, left: .nan, bottom: 0, right: 0),
        EdgeInsets(top: 300, left: 0, bottom: 300, right: 0), EdgeInsets(top: 0, left: 500, bottom: 0, right: 300),
        EdgeInsets(all: 1e308), EdgeInsets(top: 0, left: 0, bottom: 0, right: .infinity),
    ])
    func rejectsPaddingThatLeavesNothing(padding: EdgeInsets) {
        #expect {
            _ = try Viewport.checked(width: 800, height: 600, padding: padding)
        } throws: {
            ($0 as? CameraError)?.parameter == .padding
        }
    }

    @Test(arguments: CameraVectors.tileZoomOffsets)
    func choosesTileZoomsForTheScreen(row: [Double]) {
        let (scale, tileSize) = (Int(row[0]), Int(row[1]))
        #expect(TileZoomRule.round.tileZoom(cameraZoom: 10, scale: scale, tileSize: tileSize) == 10 + Int(row[2]))
        #expect(TileZoomRule.floor.tileZoom(cameraZoom: 10.7, scale: scale, tileSize: tileSize) == 10 + Int(row[2]))
    }

    @Test(arguments: [
        (6.4, 6, 6), (6.5, 7, 6), (6.704659469, 7, 6), (-3, 0, 0), (1e308, 30, 30), (-1e308, 0, 0), (.nan, 0, 0),
    ])
    func roundsHalvesUpOrDropsTheFraction(zoom: Double, rounded: Int, floored: Int) {
        #expect(TileZoomRule.round.tileZoom(cameraZoom: zoom) == rounded)
        #expect(TileZoomRule.floor.tileZoom(cameraZoom: zoom) == floored)
    }
}
