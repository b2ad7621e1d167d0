import Testing

@testable import MapGeometry

@Suite struct CoordinateBoundsTests {
    /// T-BND-1.
    @Test func acceptsCornersInAnyOrder() throws {
        let bounds = try CoordinateBounds(place(51.05, -114.05), place(49.26, -123.11))
        #expect(bounds == (try westernCanada()))
        #expect(try bounds.southWest == place(49.26, -123.11))
        #expect(try bounds.northEast == place(51.05, -114.05))
    }

    /// T-BND-2.
    @Test func choosesTheSmallerSpanOfLongitudes() throws {
        let bounds = try CoordinateBounds(place(10, 170), place(-10, -170))
        #expect(try bounds.southWest == place(-10, 170))
        #expect(try bounds.northEast == place(10, -170))
        #expect(bounds.longitudeSpan == 20)
        for (latitude, longitude, inside) in [
            (0.0, 180.0, true), (0, -180, true), (0, 540, true), (0, 0, false), (10, 170, true), (-10, -170, true),
            (10.000001, 170, false), (0, 169.999999, false), (0, -169.999999, false),
        ] {
            #expect(try bounds.contains(place(latitude, longitude)) == inside, "\(latitude), \(longitude)")
        }
    }

    /// docs/spec/model.md ruling 10.
    @Test(arguments: [(-90.0, 90.0), (90, -90), (0, 180), (180, 0), (0, -180), (-180, 0)])
    func goesEastFromTheFirstOfTwoOppositeMeridians(first: Double, second: Double) throws {
        let bounds = try CoordinateBounds(place(0, first), place(0, second))
        #expect(bounds.southWest?.longitude == first)
        #expect(bounds.northEast?.longitude == second)
        #expect(bounds.longitudeSpan == 180)
    }

    @Test func treatsBothSignsOf180AsOneMeridian() throws {
        #expect(try CoordinateBounds(place(0, -180), place(1, 180)).longitudeSpan == 0)
        #expect(try CoordinateBounds(place(0, 180), place(1, -180)).longitudeSpan == 0)
    }

    /// T-BND-3.
    @Test func growsFromEmptyBounds() throws {
        #expect(!CoordinateBounds.empty.isValid)
        #expect(CoordinateBounds.empty.southWest == nil && CoordinateBounds.empty.northEast == nil)
        let one = try CoordinateBounds.empty.including(place(1, 2))
        #expect(one.isValid)
        #expect(try one.southWest == place(1, 2) && one.northEast == place(1, 2))
        #expect(one.including(.empty) == one && CoordinateBounds.empty.including(one) == one)
    }

    /// T-BND-4.
    @Test(
        arguments: [
            ([0.0, 0, 1, 1], [1.0, 1, 2, 2], true), ([0, 0, 1, 1], [1.01, 0, 2, 1], false),
            ([0, 170, 1, -170], [0, -170, 1, -160], true), ([0, 170, 1, -170], [0, -169, 1, -160], false),
            ([0, 170, 1, 180], [0, -180, 1, -170], true), ([-90, -180, 90, 180], [5, 77, 6, 78], true),
            ([0, 0, 10, 10], [2, 2, 3, 3], true), ([0, 10, 1, 5], [0, 6, 1, 9], false),
        ] as [([Double], [Double], Bool)])
    func touchingBoundsIntersect(first: [Double], second: [Double], expected: Bool) throws {
        let (first, second) = try (bounds(first), bounds(second))
        #expect(first.intersects(second) == expected)
        #expect(second.intersects(first) == expected)
        #expect(!first.intersects(.empty) && !CoordinateBounds.empty.intersects(first))
    }

    @Test(
        arguments: [
            // The bounds grow east or west, whichever adds less. A tie grows to the east.
            ([0.0, 0, 0, 10], [5.0, 20, 5, 20], [0.0, 0, 5, 20]), ([0, 0, 0, 10], [5, -20, 5, -20], [0, -20, 5, 10]),
            ([0, 0, 0, 10], [0, -175, 0, -175], [0, 0, 0, -175]),
            ([0, 170, 1, 175], [0, -175, 1, -170], [0, 170, 1, -170]),
            ([0, -175, 1, -170], [0, 170, 1, 175], [0, 170, 1, -170]),
            // One of the boxes contains the other.
            ([0, 0, 10, 10], [2, 2, 3, 3], [0, 0, 10, 10]), ([2, 2, 3, 3], [0, 0, 10, 10], [0, 0, 10, 10]),
            ([0, 10, 1, 5], [0, 2, 1, 4], [0, 10, 1, 5]),
            // Both boxes together cover all longitudes.
            ([0, 0, 1, 180], [0, 180, 1, 0], [0, -180, 1, 180]),
            ([0, 0, 1, 200], [0, 150, 1, 30], [0, -180, 1, 180]),
            ([0, -180, 1, 180], [0, 5, 1, 6], [0, -180, 1, 180]),
        ] as [([Double], [Double], [Double])])
    func growsByTheNarrowestArc(first: [Double], second: [Double], expected: [Double]) throws {
        #expect(try bounds(first).including(bounds(second)) == bounds(expected))
    }

    @Test func boundsAPath() throws {
        let path = try [place(1, 170), place(-3, -175), place(2, -160)]
        #expect(try CoordinateBounds(around: path) == bounds([-3, 170, 2, -160]))
        #expect(CoordinateBounds(around: []) == .empty)
    }

    @Test(
        arguments: [
            ([0.0, -200, 1, 200], 360.0), ([0, -180, 1, 180], 360), ([0, 180, 1, -180], 0), ([0, 170, 1, 190], 20),
            ([0, -1e308, 1, 1e308], 360), ([0, -190, 1, 150], 340),
        ] as [([Double], Double)])
    func acceptsLongitudesOfAnyCopyOfTheWorld(numbers: [Double], span: Double) throws {
        #expect(try bounds(numbers).longitudeSpan == span)
    }

    @Test func rejectsSouthAboveNorth() throws {
        #expect(CameraError.southAboveNorth(south: 2, north: 1).isUnanswerable)
        #expect(throws: CameraError.southAboveNorth(south: 2, north: 1)) { try bounds([2, 0, 1, 5]) }
    }

    /// docs/spec/model.md ruling 10.
    @Test(arguments: [
        (90.1, 0.0, CameraParameter.latitude), (-91, 0, .latitude), (.nan, 0, .latitude), (0, .infinity, .longitude),
    ])
    func namesTheInvalidCoordinate(latitude: Double, longitude: Double, parameter: CameraParameter) throws {
        #expect {
            _ = try Coordinate.checked(latitude: latitude, longitude: longitude)
        } throws: {
            let error = $0 as? CameraError
            return error?.parameter == parameter && error?.isUnanswerable == false
        }
        #expect(try Coordinate.checked(latitude: -90, longitude: 540) == place(-90, 540))
    }

    /// Bounds contain every place that was included in them.
    @Test func containsEveryIncludedPlace() throws {
        var generator = SeededGenerator(seed: 8)
        for _ in 0..<2000 {
            let places = try (0..<4).map { _ in
                try place(.random(in: -90...90, using: &generator), .random(in: -400...400, using: &generator))
            }
            let first = CoordinateBounds(places[0], places[1])
            let second = CoordinateBounds(places[2], places[3])
            let all = first.including(second)
            #expect(places.allSatisfy { all.contains($0) })
            #expect(all.longitudeSpan <= first.longitudeSpan + second.longitudeSpan + 180)
            #expect(first.including(places[2]).contains(places[2]))
        }
    }

    /// Makes bounds from [south, west, north, east].
    private func bounds(_ numbers: [Double]) throws -> CoordinateBounds {
        try CoordinateBounds.checked(
            southWest: place(numbers[0], numbers[1]), northEast: place(numbers[2], numbers[3]))
    }
}
