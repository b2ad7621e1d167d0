import Testing

@testable import MapGeometry

@Suite struct ProjectionTests {
    static let sydney = [-33.8683, 151.2086]

    @Test(arguments: CameraVectors.points)
    func projectsPlacesToScreenPoints(row: [[Double]]) throws {
        let projection = try mapView().projection(of: camera(row[0]))
        let point = try #require(projection.point(for: place(row[1])))
        #expect(abs(point.x - row[2][0]) < 1e-4 && abs(point.y - row[2][1]) < 1e-4)
    }

    @Test(arguments: MatrixProjections.cases)
    func agreesWithMatrices(row: [[Double]]) throws {
        let (size, screen) = (row[1], row[3])
        let padding = EdgeInsets(top: size[2], left: size[3], bottom: size[4], right: size[5])
        let view = try mapView(width: size[0], height: size[1], padding: padding)
        let projection = try view.projection(of: camera(row[0]))
        let point = try #require(projection.point(for: place(row[2])))
        #expect(abs(point.x - screen[0]) < 1e-4 && abs(point.y - screen[1]) < 1e-4)
        let ground = try projection.coordinate(at: ScreenPoint(x: row[4][0], y: row[4][1]))
        #expect(try agree(ground.coordinate, place(row[5])))
        #expect(!ground.isOutside)
    }

    /// T-PRJ-1 to T-PRJ-4, T-PRJ-10.
    @Test(arguments: CameraVectors.visibleRegions)
    func hasAVisibleRegion(row: [[Double]]) throws {
        let projection = try mapView().projection(of: camera(row[0]))
        #expect(projection.camera.viewingAngle == row[1][0])
        let region = try projection.visibleRegion
        let corners = [region.farLeft, region.farRight, region.nearLeft, region.nearRight]
        for (corner, expected) in zip(corners, row[2...]) {
            #expect(try agree(corner, place(expected)))
            #expect(region.bounds.contains(corner))
        }
    }

    /// T-PRJ-1 to T-PRJ-4, last column: the distance of the ground at the middle of the top edge, and half the widths
    /// of the top and the bottom edge.
    @Test(arguments: [
        (0.0, 300.0, 400.0, 400.0), (30, 428.964, 495.325, 335.444), (45, 636.396, 600, 300),
        (65, 2489.303, 1402.700, 233.259),
    ])
    func showsMoreGroundWithMoreTilt(angle: Double, ahead: Double, far: Double, near: Double) throws {
        let projection = try mapView().projection(of: camera(Self.sydney + [16, 0, angle]))
        let top = try #require(projection.offset(at: ScreenPoint(x: 400, y: 0)))
        #expect(abs(-top.y * projection.worldSize - ahead) < 1e-3)
        let corners = try [0.0, 600].map { try #require(projection.offset(at: ScreenPoint(x: 800, y: $0))) }
        #expect(abs(corners[0].x * projection.worldSize - far) < 1e-3)
        #expect(abs(corners[1].x * projection.worldSize - near) < 1e-3)
        for (x, points) in [(0.0, -400.0), (800, 400), (400, 0)] {
            let side = try #require(projection.offset(at: ScreenPoint(x: x, y: 300)))
            #expect(abs(side.x * projection.worldSize - points) < 1e-9 && side.y == 0)
        }
    }

    /// T-PRJ-5.
    @Test(arguments: [0.0, 30, 45, 65])
    func keepsTheMiddleRowAtAnyTilt(angle: Double) throws {
        let projection = try mapView().projection(of: camera(Self.sydney + [16, 0, angle]))
        let point = try #require(projection.point(for: place(-33.8683, 151.2186)))
        #expect(abs(point.x - 866.0338) < 1e-4 && abs(point.y - 300) < 1e-4)
        #expect(!projection.isVisible(point))
    }

    /// T-PRJ-6.
    @Test(arguments: [(0.0, -165.8311), (30, -20.4823), (45, 58.8621), (65, 165.9933)])
    func movesFarGroundWithTheTilt(angle: Double, y: Double) throws {
        let projection = try mapView().projection(of: camera(Self.sydney + [16, 0, angle]))
        let point = try #require(projection.point(for: place(-33.86, 151.2086)))
        #expect(abs(point.x - 400) < 1e-4 && abs(point.y - y) < 1e-4)
    }

    /// T-PRJ-7.
    @Test func groundAheadIsFartherFromTheCamera() throws {
        let projection = try mapView().projection(of: camera(Self.sydney + [16, 0, 45]))
        let north = WorldPoint(x: projection.target.x, y: projection.target.y - 300 / projection.worldSize)
        let point = try #require(projection.point(for: Mercator.unproject(north)))
        #expect(abs(point.x - 400) < 1e-4 && abs(point.y - 128.3308) < 1e-4)
        #expect(abs(projection.depth(down: -300) - 1112.1320) < 1e-4)
    }

    /// T-PRJ-8.
    @Test(arguments: [0.0, 30, 45, 65], [0.0, 30, 211])
    func convertsCornersToPlacesAndBack(angle: Double, bearing: Double) throws {
        let projection = try mapView().projection(of: camera(Self.sydney + [16, bearing, angle]))
        for (x, y) in [(0.0, 0.0), (800, 0), (0, 600), (800, 600), (400, 300)] {
            let ground = try projection.coordinate(at: ScreenPoint(x: x, y: y))
            let point = try #require(projection.point(for: ground.coordinate))
            #expect(abs(point.x - x) < 1e-6 && abs(point.y - y) < 1e-6)
            #expect(projection.isVisible(point) && projection.contains(ground.coordinate))
        }
    }

    /// T-PRJ-9.
    @Test func measuresMetresInPoints() throws {
        let projection = try mapView().projection(of: camera(Self.sydney + [16, 0, 45]))
        let sydney = try place(Self.sydney)
        #expect(try abs(projection.points(forMetres: 1000, at: sydney) - 504.7612) < 1e-4)
        #expect(try projection.points(forMetres: 0, at: sydney) == 0)
        #expect(try projection.points(forMetres: 1, at: place(90, 0)).isFinite)
        let close = try mapView().projection(of: camera(Self.sydney + [21]))
        for metres in notFinite + [.greatestFiniteMagnitude] {
            #expect {
                _ = try close.points(forMetres: metres, at: sydney)
            } throws: {
                ($0 as? CameraError)?.parameter == .meters
            }
        }
    }

    /// T-PAD-1.
    @Test func paddingMovesTheMiddle() throws {
        let view = try mapView(padding: EdgeInsets(top: 200, left: 0, bottom: 0, right: 0))
        let projection = try view.projection(of: camera(Self.sydney + [16]))
        let target = try #require(projection.point(for: place(Self.sydney)))
        #expect(abs(target.x - 400) < 1e-4 && abs(target.y - 400) < 1e-4)
        let ground = try projection.coordinate(at: ScreenPoint(x: 400, y: 300))
        #expect(try agree(ground.coordinate, place(-33.866518306, 151.2086)))
        let region = try projection.visibleRegion
        #expect(try agree(region.farLeft, place(-33.864736576, 151.200016931)))
        #expect(try agree(region.farRight, place(-33.864736576, 151.217183069)))
        #expect(try agree(region.nearLeft, place(-33.871863276, 151.200016931)))
        #expect(try agree(region.nearRight, place(-33.871863276, 151.217183069)))
        #expect(
            !projection.isVisible(ScreenPoint(x: 400, y: 199.99)) && projection.isVisible(ScreenPoint(x: 0, y: 200)))
    }

    @Test func needsAView() throws {
        let position = try camera([0, 0, 3])
        #expect(throws: CameraError.viewMissing) { try MapView().projection(of: position) }
    }
}
