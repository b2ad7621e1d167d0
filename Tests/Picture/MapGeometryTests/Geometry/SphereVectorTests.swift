import Testing

@testable import MapGeometry

/// Numbers of docs/spec/model.md 10. They were computed outside this project, by vector algebra with 60 digits and
/// without the formulas of `Sphere`. The first pair is the example of Ed Williams's Aviation Formulary, from Los
/// Angeles to New York.
@Suite struct SphereVectorTests {
    @Test(
        arguments: [
            (
                [33.95, -118.4], [40.63333333333333, -73.78333333333333], [3972863.388512182, 65.89216655275],
                [38.669447748, -101.6261603127]
            ),
            (
                [37.7749, -122.4194], [35.6762, 139.6503], [8274626.667527824, 303.3564541382],
                [48.37484481552, -161.0483760587]
            ),
            (
                [-33.8683, 151.2086], [49.26, -123.11], [12500861.19322077, 44.74888898851],
                [1.288011260225, -178.9460150624]
            ),
            // Half an inch, nearly half a turn, across the pole, and across the date line.
            (
                [52.5, 13.4], [52.5000001, 13.4000002], [0.01751935589796181, 50.60237583177],
                [52.50000004, 13.40000008]
            ),
            ([60, 10], [-59.9, -169.8], [19999377.83784487, 314.8701506815], [37.14316690985, -112.2971447601]),
            ([89.9, 30], [89.9, -150], [22239.01674483828, 0], [89.98, 30]),
            ([-45, 179.5], [-44, -179.5], [136578.5966343779, 35.84988543482], [-44.60104939494, 179.9041248343]),
        ] as [([Double], [Double], [Double], [Double])])
    func measuresAndInterpolatesTheShortestWay(
        start: [Double], end: [Double], way: [Double], twoFifths: [Double]
    ) throws {
        let (start, end) = try (place(start), place(end))
        #expect(abs(Sphere.distance(from: start, to: end) - way[0]) < 1e-6 + way[0] * 1e-9)
        let turn = Sphere.heading(from: start, to: end) - way[1]
        // At a distance of half an inch, only seven digits of a degree are reliable.
        #expect(abs(turn.remainder(dividingBy: 360)) < 1e-5)
        let middle = try Sphere.interpolate(from: start, to: end, fraction: 0.4)
        #expect(try agree(middle, place(twoFifths), within: 1e-7))
    }

    /// 100 nautical miles, one metre, across the date line, across the pole, backwards, and more than once around the
    /// earth.
    @Test(
        arguments: [
            ([33.95, -118.4], 185_200, 66, [34.61364702567, -116.5511599041]),
            ([52.5, 13.4], 1, 45, [52.50000635915, 13.40001044606]),
            ([0, 179.999], 1_000_000, 80, [1.555439972281, -171.1422402746]),
            ([-80, 20], 3_000_000, 170, [-72.78712782023, -175.439262583]),
            ([49.26, -123.11], -500_000, 30, [45.31924689945, -126.305818524]),
            ([10, 20], 45_000_000, 123, [-14.70223624424, 57.57666797672]),
        ] as [([Double], Double, Double, [Double])])
    func offsetsAtAHeading(start: [Double], metres: Double, heading: Double, expected: [Double]) throws {
        let found = try Sphere.offset(from: place(start), metres: metres, heading: heading)
        #expect(try agree(found, place(expected), within: 1e-10))
    }

    /// Counterclockwise, counterclockwise across the date line, clockwise across the equator, and a field of 75 ares.
    @Test(
        arguments: [
            ([[25.774, -80.19], [18.466, -66.118], [32.321, -64.757]], 1147494196315.5, 3206677.4056759),
            ([[-10, 170], [-10, -170], [10, -170], [10, 170]], 4969695337508.8, 6603454.3438616),
            (
                [[49.26, -123.11], [51.05, -114.05], [52.5, 13.4], [-33.87, 18.42]], -49223124084599.0, 17785879.39125
            ),
            ([[52.5, 13.4], [52.5, 13.401], [52.501, 13.401], [52.501, 13.4]], 7526.8517292168, 246.57610016922),
        ] as [([[Double]], Double, Double)])
    func measuresPaths(corners: [[Double]], area: Double, length: Double) throws {
        let path = try corners.map { try place($0) }
        // For a small field, the triangles to the pole cause an error of a hundredth of a square metre.
        #expect(abs(Sphere.signedArea(of: path) - area) < 0.1 + abs(area) * 1e-9)
        #expect(abs(Sphere.signedArea(of: path.reversed()) + area) < 0.1 + abs(area) * 1e-9)
        #expect(abs(Sphere.area(of: path) - abs(area)) < 0.1 + abs(area) * 1e-9)
        #expect(abs(Sphere.length(of: path) - length) < 1e-5)
    }

    /// Latitudes at which an edge crosses a meridian, as a great circle and as a rhumb line.
    @Test(
        arguments: [
            ([37.7749, -122.4194], [51.5, -0.12], -60, 64.65620842707, 45.18946611583),
            ([60, 5], [30, 65], 40, 50.834298512, 44.50308175043),
            ([-35, 18], [-34, 150], 90, -59.22537439213, -34.45603223547),
        ] as [([Double], [Double], Double, Double, Double)])
    func distinguishesGreatCirclesFromRhumbLines(
        start: [Double], end: [Double], meridian: Double, greatCircle: Double, rhumb: Double
    ) throws {
        let (start, end) = try (place(start), place(end))
        for (latitude, geodesic) in [(greatCircle, true), (rhumb, false)] {
            let crossing = try place(latitude, meridian)
            #expect(try Sphere.isOnPath(crossing, [start, end], geodesic: geodesic))
            #expect(try !Sphere.isOnPath(crossing, [start, end], tolerance: 10_000, geodesic: !geodesic))
            // A place ten metres to the north is nearer to a slanting edge: at most 10 m, and more than 2 m.
            let aside = try Sphere.offset(from: crossing, metres: 10, heading: 0)
            #expect(try Sphere.isOnPath(aside, [start, end], tolerance: 11, geodesic: geodesic))
            #expect(try !Sphere.isOnPath(aside, [start, end], tolerance: 2, geodesic: geodesic))
            // The triangle with the north pole contains only places north of the edge.
            let triangle = try [start, end, place(90, 0)]
            let north = try place(latitude + 0.001, meridian)
            let south = try place(latitude - 0.001, meridian)
            #expect(Sphere.contains(north, in: triangle, geodesic: geodesic))
            #expect(!Sphere.contains(south, in: triangle, geodesic: geodesic))
        }
    }
}
