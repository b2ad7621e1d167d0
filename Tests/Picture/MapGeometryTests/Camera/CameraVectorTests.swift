import Testing

@testable import MapGeometry

/// Vectors of the file that no other suite uses. The viewer, written in JavaScript, is tested with the same numbers.
@Suite struct CameraVectorTests {
    @Test func readsEverySectionOfTheFile() {
        #expect(CameraVectors.written == CameraVectors.read)
    }

    @Test(arguments: CameraVectors.wrappedBearings)
    func wrapsBearings(row: [Double]) throws {
        #expect(try MapView().normalized(camera([0, 0, 4, row[0]])).position.bearing == row[1])
    }

    @Test(arguments: CameraVectors.androidAngleLimits)
    func limitsTheViewingAngleAsAndroidDoes(row: [Double]) {
        #expect(abs(ViewingAngleLimit.android.angle(atZoom: row[0]) - row[1]) < 1e-8)
    }

    @Test(arguments: CameraVectors.tileBounds)
    func tilesHaveBounds(row: [[Double]]) throws {
        let place = row[0].map { Int($0) }
        let bounds = try #require(TileCoordinate(z: place[0], x: place[1], y: place[2])).bounds
        for (found, expected) in zip([bounds.north, bounds.south, bounds.west, bounds.east], row[1]) {
            #expect(abs(found - expected) < 1e-9)
        }
    }

    @Test(arguments: CameraVectors.fillingHeights)
    func fillsTheViewByItsHeight(row: [Double]) throws {
        let view = try mapView(CameraRules(fillsViewport: true), width: 4096, height: row[0])
        #expect(abs(view.minZoom - row[1]) < 1e-6)
    }

    @Test(arguments: CameraVectors.flights)
    func fliesTheShortWay(row: [[Double]]) throws {
        let (start, end) = try (camera(row[0] + [6]), camera(row[1] + [6]))
        let animation = try CameraAnimation(from: start, to: end, in: MapView())
        #expect(try agree(animation.camera(at: row[2][0]).target, place(row[3])))
    }

    @Test(arguments: CameraVectors.turns)
    func turnsByTheSmallerAngle(row: [Double]) throws {
        let animation = try CameraAnimation(
            from: camera([0, 0, 4, row[0]]), to: camera([0, 0, 4, row[1]]), in: MapView())
        #expect(abs(animation.camera(at: row[2]).bearing - row[3]) < 1e-9)
    }

    @Test(arguments: CameraVectors.pointsForMetres)
    func measuresMetresInPoints(row: [Double]) throws {
        let projection = try mapView().projection(of: camera([row[1], 0, row[2]]))
        #expect(try abs(projection.points(forMetres: row[0], at: place(row[1], 0)) - row[3]) < 1e-4)
    }

    @Test(arguments: CameraVectors.padding)
    func paddingMovesTheMiddle(row: [[Double]]) throws {
        let insets = EdgeInsets(top: row[1][0], left: row[1][1], bottom: row[1][2], right: row[1][3])
        let projection = try mapView(padding: insets).projection(of: camera(row[0]))
        let target = try #require(projection.point(for: place(row[0])))
        #expect(abs(target.x - row[2][0]) < 1e-4 && abs(target.y - row[2][1]) < 1e-4)
        let ground = try projection.coordinate(at: ScreenPoint(x: row[3][0], y: row[3][1]))
        #expect(try agree(ground.coordinate, place(row[4])))
    }
}
