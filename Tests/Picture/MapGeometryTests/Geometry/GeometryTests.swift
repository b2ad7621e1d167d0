import Testing

@testable import MapGeometry

@Suite struct GeometryTests {
    static let sanFrancisco = [37.7749, -122.4194]
    static let tokyo = [35.6762, 139.6503]

    /// T-GEO-1.
    @Test(arguments: CameraVectors.mapPoints + [[85.0511287798066, 0, 0, 1], [90, 0, 0, 1], [0, 540, -1, 0]])
    func projectsToMapPoints(row: [Double]) throws {
        let point = try MapPoint(place(row[0], row[1]))
        #expect(abs(point.x - row[2]) < 1e-9 && abs(point.y - row[3]) < 1e-9)
        if row[0] < 90 {
            #expect(try agree(point.coordinate, place(row[0], row[1]), within: 1e-9))
        }
    }

    @Test(arguments: [(1.5, 0.0), (-1.0000001, 0), (.nan, 0), (0, .infinity)])
    func rejectsPointsOutsideTheMap(x: Double, y: Double) {
        #expect(throws: CameraError.self) { try MapPoint(x: x, y: y) }
    }

    @Test func unprojectsBeyondTheEdgeUpToThePole() throws {
        #expect(try abs(MapPoint(x: 1, y: 1).coordinate.latitude - 85.0511287798) < 1e-9)
        #expect(try MapPoint(x: -1, y: 1e308).coordinate == place(90, -180))
        #expect(try MapPoint(x: 0, y: -1e308).coordinate == place(-90, 0))
    }

    /// T-GEO-2, T-GEO-3.
    @Test(
        arguments: [
            (sanFrancisco, tokyo, 0.5, [36.732720496, -171.38455]),
            (sanFrancisco, tokyo, 0.25, [37.255612455, -146.901975]),
            (sanFrancisco, tokyo, 0.6, [36.522558650, 178.82242]), (sanFrancisco, tokyo, 0, sanFrancisco),
            (sanFrancisco, tokyo, 1, tokyo), ([49.26, -123.11], [51.05, -114.05], 0.5, [50.163378172, -118.58]),
        ] as [([Double], [Double], Double, [Double])])
    func interpolatesTheShortWay(start: [Double], end: [Double], fraction: Double, expected: [Double]) throws {
        let middle = try MapPoint(place(start)).interpolated(to: MapPoint(place(end)), fraction: fraction)
        #expect(try agree(middle.coordinate, place(expected)))
        #expect((-1...1).contains(middle.x))
    }

    /// T-GEO-2, T-GEO-3.
    @Test(
        arguments: [
            (sanFrancisco, tokyo, 0.544251709), ([49.26, -123.11], [51.05, -114.05], 0.052672752),
            ([0, -90], [0, 90], 1),
        ] as [([Double], [Double], Double)])
    func measuresMapPoints(start: [Double], end: [Double], distance: Double) throws {
        #expect(try abs(MapPoint(place(start)).distance(to: MapPoint(place(end))) - distance) < 1e-9)
    }

    @Test(arguments: [1e308, -1e308, .nan, .infinity])
    func refusesFractionsWithNonFiniteResults(fraction: Double) throws {
        let (start, end) = try (MapPoint(x: -0.9, y: 1e300), MapPoint(x: 0.05, y: -1e300))
        #expect {
            _ = try start.interpolated(to: end, fraction: fraction)
        } throws: {
            ($0 as? CameraError)?.parameter == .fraction
        }
    }

    /// T-GEO-3, and quarters of the equator and of a meridian.
    @Test(
        arguments: [
            ([49.26, -123.11], [51.05, -114.05], 674950.816, 69.415054),
            ([0, 0], [0, 90], .pi / 2 * 6_371_009, 90), ([0, 90], [0, 0], .pi / 2 * 6_371_009, 270),
            ([0, 170], [0, -100], .pi / 2 * 6_371_009, 90), ([0, 0], [90, 0], .pi / 2 * 6_371_009, 0),
            ([10, 5], [-10, 5], .pi / 9 * 6_371_009, 180), ([10, 5], [10, 365], 0, 0), ([10, 5], [10, 5], 0, 0),
            ([0, 0], [0, 180], .pi * 6_371_009, 90),
        ] as [([Double], [Double], Double, Double)])
    func measuresGreatCircles(start: [Double], end: [Double], distance: Double, heading: Double) throws {
        let (start, end) = try (place(start), place(end))
        #expect(abs(Sphere.distance(from: start, to: end) - distance) < 1e-3)
        #expect(abs(Sphere.heading(from: start, to: end) - heading) < 1e-6)
        #expect(try agree(Sphere.interpolate(from: start, to: end, fraction: 1), end))
        #expect(try agree(Sphere.interpolate(from: start, to: end, fraction: 0), start))
    }

    @Test(
        arguments: [
            ([0.0, 0], 90.0, 90.0, [0.0, 90.0]), ([0, 100], 90, 90, [0, -170]), ([0, 90], 90, 90, [0, -180]),
            ([0, 0], 45, 0, [45, 0]), ([45, 0], 90, 0, [45, 180]), ([45, 0], 360, 77, [45, 0]),
            ([45, 0], 90, 360, [45, 180]),
            ([-30, 20], 60, 180, [-90, 20]),
        ] as [([Double], Double, Double, [Double])])
    func offsetsAlongGreatCircles(start: [Double], degrees: Double, heading: Double, expected: [Double]) throws {
        let metres = degrees * .pi / 180 * 6_371_009
        let found = try Sphere.offset(from: place(start), metres: metres, heading: heading)
        #expect(abs(found.latitude - expected[0]) < 1e-6)
        if expected[0].magnitude < 90 { #expect(try agree(found, place(expected))) }
        #expect((-180..<180).contains(found.longitude))
    }

    @Test func survivesExtremes() throws {
        for latitude in [-90.0, 0, 45, 90] {
            for value in extremes {
                let start = try place(latitude, value)
                let found = try Sphere.offset(from: start, metres: value, heading: value)
                #expect(abs(found.latitude) <= 90 && (-180..<180).contains(found.longitude))
                #expect(Sphere.distance(from: start, to: found).isFinite)
                #expect((0..<360).contains(Sphere.heading(from: start, to: found)))
            }
        }
        for value in notFinite {
            let origin = try place(0, 0)
            #expect(throws: CameraError.self) { try Sphere.offset(from: origin, metres: value, heading: 0) }
            #expect(throws: CameraError.self) { try Sphere.offset(from: origin, metres: 0, heading: value) }
            #expect(throws: CameraError.self) { try Sphere.interpolate(from: origin, to: origin, fraction: value) }
        }
    }
}
