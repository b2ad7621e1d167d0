import Testing

@testable import MapGeometry

@Suite struct MercatorTests {
    /// T-TILE-1.
    @Test(arguments: CameraVectors.worldSizes)
    func growsTheWorldWithZoom(row: [Double]) {
        #expect(abs(Mercator.worldSize(zoom: row[0]) - row[1]) < 1e-6)
    }

    /// T-GEO-1. Its x and y range from -1 to 1, and y grows to the north.
    @Test(arguments: [
        (49.26, -123.11, -0.683944444, 0.315363245), (51.05, -114.05, -0.633611111, 0.330886595),
        (85, 180, 1, 0.996724170), (85.0511287798066, 0, 0, 1),
    ])
    func projectsKnownPlaces(latitude: Double, longitude: Double, x: Double, y: Double) throws {
        let point = Mercator.project(try #require(Coordinate(validating: latitude, longitude: longitude)))
        #expect(abs(2 * point.x - 1 - x) < 1e-9)
        #expect(abs(1 - 2 * point.y - y) < 1e-9)
    }

    @Test(arguments: [-85.0, -49.26, 0, 1e-9, 60, 85.05], [-179.9, -123.11, 0, 179.99, 185])
    func invertsTheProjection(latitude: Double, longitude: Double) throws {
        let place = try #require(Coordinate(validating: latitude, longitude: longitude))
        let back = Mercator.unproject(Mercator.project(place))
        #expect(abs(back.latitude - latitude) < 1e-9)
        #expect(abs(back.longitude - longitude) < 1e-9)
    }

    /// Latitudes and their y, computed to 18 digits with mpmath. An error of 8e-16 is 0.02 µm on the ground.
    @Test(arguments: [
        (-85.041854776, 0.999701657039390673), (85.047554238, 0.000115058337673807597),
        (84.953884889, 0.00310094988064695018), (-85.046371793, 0.999846899029625548),
        (-85.048027383, 0.999900166626402362), (84.988140211, 0.00201545672879576965),
        (85.047730803, 0.000109376959899041286), (-85.008595706, 0.998636277776459581),
        (85.05, 0.000036342429096931692701), (85.0511287798, 2.1241772800518384506e-13), (80, 0.11225939796299495074),
        (66.51326044311186, 0.24999999999999997242), (45, 0.35972503691520496822), (1e-9, 0.49999999999722222222),
        (0, 0.5),
    ])
    func keepsEveryDigitNearThePoles(latitude: Double, y: Double) throws {
        let point = Mercator.project(try #require(Coordinate(validating: latitude, longitude: 0)))
        #expect(abs(point.y - y) < 8e-16)
        // A round trip changes at most the last digit.
        #expect(abs(Mercator.unproject(point).latitude - latitude) <= max(latitude.ulp, 1.5e-14))
    }

    @Test func clampsLatitudesToTheSquare() throws {
        #expect(Mercator.project(try #require(Coordinate(validating: 90, longitude: 0))).y == 0)
        #expect(Mercator.project(try #require(Coordinate(validating: -90, longitude: 0))).y == 1)
    }

    @Test(arguments: [(90.1, 0.0), (-91, 0), (.nan, 0), (0, .infinity), (0, .nan)])
    func rejectsInvalidCoordinates(latitude: Double, longitude: Double) {
        #expect(Coordinate(validating: latitude, longitude: longitude) == nil)
    }
}
