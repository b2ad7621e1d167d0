import MapGeometry
import Testing

/// Tests of values that a program states as literals, and of the same values from numbers of any source.
struct LiteralTests {
    @Test func makesValuesWithoutAnError() {
        let place = Coordinate(latitude: 49.26, longitude: -123.11)
        #expect(place.latitude == 49.26 && place.longitude == -123.11)
        #expect(CameraPosition(target: place, zoom: 5) == CameraPosition(latitude: 49.26, longitude: -123.11, zoom: 5))
        let bounds = CoordinateBounds(southWest: place, northEast: Coordinate(latitude: 51.05, longitude: -114.05))
        #expect(bounds.northEast?.latitude == 51.05)
        #expect(GeographicBox(west: 180, south: -1, east: -170, north: 1).west == -180)
        #expect(Viewport(width: 800, height: 600).center == ScreenPoint(x: 400, y: 300))
    }

    /// A wrong literal is a mistake of the program, so the program ends.
    @Test func endsTheProgramAtAWrongLiteral() async {
        await #expect(processExitsWith: .failure) { _ = Coordinate(latitude: -123.11, longitude: 49.26) }
        await #expect(processExitsWith: .failure) { _ = CameraPosition(latitude: 0, longitude: 0, zoom: .nan) }
        await #expect(processExitsWith: .failure) { _ = GeographicBox(west: 0, south: 2, east: 1, north: 1) }
        await #expect(processExitsWith: .failure) { _ = Viewport(width: 0, height: 600) }
    }

    @Test(
        arguments: [
            (5, 2, 6, 1, .southAboveNorth(south: 2, north: 1)), (5, 1, 5, 2, .emptyBounds), (5, 1, 6, 1, .emptyBounds),
            (180, 1, -180, 2, .emptyBounds), (-181, 1, 6, 2, .outOfRange(.longitude, -181, -180...180)),
            (1, -91, 6, 2, .outOfRange(.latitude, -91, -90...90)),
            (1, 1, .infinity, 2, .notFinite(.longitude, .infinity)),
        ] as [(Double, Double, Double, Double, CameraError)])
    func refusesAWrongBox(west: Double, south: Double, east: Double, north: Double, error: CameraError) {
        #expect(throws: error) { try GeographicBox.checked(west: west, south: south, east: east, north: north) }
    }
}
