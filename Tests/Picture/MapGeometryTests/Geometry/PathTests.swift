import Testing

@testable import MapGeometry

@Suite struct PathTests {
    /// Eighths and a zone of the sphere, which have known areas: 4πR²/8, and 2πR² (sin 10° - sin -10°) · 20/360.
    @Test func measuresAreasAndLengths() throws {
        let square = 6_371_009.0 * 6_371_009 * .pi
        let eighth = try path([[0, 0], [0, 90], [90, 0]])
        #expect(abs(Sphere.signedArea(of: eighth) / (square / 2) - 1) < 1e-12)
        #expect(abs(Sphere.signedArea(of: eighth.reversed()) / (square / 2) + 1) < 1e-12)
        #expect(abs(Sphere.area(of: eighth.reversed()) / (square / 2) - 1) < 1e-12)
        #expect(abs(Sphere.length(of: eighth) - .pi * 6_371_009) < 1e-3)
        let across = try path([[0, 135], [0, -135], [90, 0]])
        #expect(abs(Sphere.signedArea(of: across) / (square / 2) - 1) < 1e-12)
        // Edges of half a degree follow the parallels of latitude closely.
        let zone =
            try (0...40).map { try place(-10, Double($0) / 2) } + (0...40).map { try place(10, 20 - Double($0) / 2) }
        #expect(abs(Sphere.area(of: zone) / (2 * square * 2 * 0.17364817766693033 / 18) - 1) < 1e-4)
    }

    @Test func measuresZeroForPathsWithoutExtent() throws {
        let two = try path([[1, 1], [2, 2]])
        #expect(Sphere.area(of: two) == 0 && Sphere.length(of: []) == 0)
        #expect(try Sphere.length(of: path([[1, 1]])) == 0)
        #expect(try !Sphere.contains(place(1.5, 1.5), in: two))
    }

    @Test(
        arguments: [
            // A square, a square across the date line, and the cap around the north pole.
            ([[0.0, 0], [0, 10], [10, 10], [10, 0]], [5.0, 5], true),
            ([[0, 0], [0, 10], [10, 10], [10, 0]], [5, 15], false),
            ([[0, 0], [0, 10], [10, 10], [10, 0]], [11, 5], false),
            ([[0, 0], [0, 10], [10, 10], [10, 0]], [-1, 5], false),
            ([[-5, 170], [-5, -170], [5, -170], [5, 170]], [0, 180], true),
            ([[-5, 170], [-5, -170], [5, -170], [5, 170]], [0, -175], true),
            ([[-5, 170], [-5, -170], [5, -170], [5, 170]], [0, 0], false),
            ([[80, 0], [80, 120], [80, -120]], [89, 77], true), ([[80, 0], [80, 120], [80, -120]], [90, 0], true),
            ([[80, 0], [80, 120], [80, -120]], [60, 77], false),
            ([[0, 0], [0, 10], [10, 10], [10, 0]], [-90, 5], false),
        ] as [([[Double]], [Double], Bool)])
    func distinguishesInsideFromOutside(corners: [[Double]], point: [Double], inside: Bool) throws {
        #expect(try Sphere.contains(place(point), in: path(corners)) == inside)
        #expect(try Sphere.contains(place(point), in: path(corners).reversed()) == inside)
    }

    /// The great circle between two places on the 50th parallel runs north of the parallel, up to atan(tan 50° / cos
    /// 30°) = 53.99°.
    @Test(arguments: [(53.9, true, false), (54.1, false, false), (49.9, true, true)])
    func followsGeodesicOrStraightEdges(latitude: Double, geodesic: Bool, straight: Bool) throws {
        let triangle = try path([[50, -30], [20, 0], [50, 30]])
        #expect(try Sphere.contains(place(latitude, 0), in: triangle, geodesic: true) == geodesic)
        #expect(try Sphere.contains(place(latitude, 0), in: triangle, geodesic: false) == straight)
    }

    /// A distance of 1e-6° is 0.11 m.
    @Test(
        arguments: [
            ([0.0, 5], 0.1, true), ([0.0000008, 5], 0.1, true), ([0.000001, 5], 0.1, false),
            ([0.000001, 5], 0.2, true),
            ([0, -0.000001], 0.1, false), ([0, -0.0000008], 0.1, true), ([0, 11], 0.1, false), ([5, 10], 0.1, true),
            ([1, 5], 120_000, true), ([0, 180], 0.1, false),
        ] as [([Double], Double, Bool)])
    func findsPlacesOnAPath(point: [Double], tolerance: Double, expected: Bool) throws {
        let path = try path([[0, 0], [0, 10], [10, 10]])
        for geodesic in [true, false] {
            #expect(try Sphere.isOnPath(place(point), path, tolerance: tolerance, geodesic: geodesic) == expected)
        }
    }

    @Test func findsPlacesOnBentAndWrappedEdges() throws {
        let parallel = try path([[50, -30], [50, 30]])
        #expect(try Sphere.isOnPath(place(50, 0), parallel, geodesic: false))
        #expect(try !Sphere.isOnPath(place(50, 0), parallel, geodesic: true))
        #expect(try Sphere.isOnPath(place(53.9947852, 0), parallel, geodesic: true))
        let across = try path([[0, 170], [0, -170]])
        for longitude in [175.0, 180, -180, -175, 190] {
            #expect(try Sphere.isOnPath(place(0, longitude), across, geodesic: false))
            #expect(try Sphere.isOnPath(place(0, longitude), across))
        }
        #expect(try Sphere.isOnPath(place(1, 2), path([[1, 2]])) && !Sphere.isOnPath(place(1, 2), []))
        #expect(throws: CameraError.self) { try Sphere.isOnPath(place(1, 2), [], tolerance: .nan) }
    }

    private func path(_ places: [[Double]]) throws -> [Coordinate] {
        try places.map { try place($0) }
    }
}
