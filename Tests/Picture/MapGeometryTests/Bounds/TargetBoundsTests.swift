import Testing

@testable import MapGeometry

@Suite struct TargetBoundsTests {
    /// T-TB-1 and the other corners.
    @Test(
        arguments: [
            ([55.0, -100], [51.05, -114.05], [CameraParameter.latitude, .longitude]),
            ([50, -120], [50, -120], []), ([50, -130], [50, -123.11], [.longitude]),
            ([40, -120], [49.26, -120], [.latitude]),
            ([50, 70], [50, -123.11], [.longitude]), ([50, 50], [50, -114.05], [.longitude]),
        ] as [([Double], [Double], [CameraParameter])])
    func keepsTheTargetInside(target: [Double], expected: [Double], clamped: [CameraParameter]) throws {
        let view = try map(westernCanada(), .strict)
        let resolved = try view.normalized(camera(target + [5]))
        #expect(try resolved.position == camera(expected + [5]))
        #expect(resolved.clamped == clamped)
        #expect(view.normalized(resolved.position).clamped.isEmpty)
    }

    @Test(arguments: [(0.0, 175.0, 175.0), (0, -175, -175), (0, 160, 170), (0, -160, -170), (0, 180, 180)])
    func keepsTheTargetAcrossTheAntimeridian(latitude: Double, longitude: Double, expected: Double) throws {
        let bounds = try CoordinateBounds.checked(southWest: place(-10, 170), northEast: place(10, -170))
        let position = try map(bounds, .strict).normalized(camera([latitude, longitude, 5])).position
        #expect(position.longitude == expected)
    }

    @Test func clampsAbsoluteMovesOnlyWhenStrict() throws {
        let position = try camera([55, -100, 5])
        #expect(try map(westernCanada(), .gestures).normalized(position).position == position)
    }

    /// A camera never targets a place beyond 85°, even if the bounds lie there.
    @Test func clampsTheTargetForBoundsNearAPole() throws {
        let bounds = try CoordinateBounds.checked(southWest: place(86, 0), northEast: place(89, 10))
        #expect(try map(bounds, .strict).normalized(camera([0, 5, 5])).position == camera([85, 5, 5]))
    }

    @Test func rejectsEmptyBounds() {
        #expect(throws: CameraError.emptyBounds) { try TargetBounds(.empty) }
    }

    private func map(_ bounds: CoordinateBounds, _ mode: TargetBounds.Mode) throws -> MapView {
        try MapView(rules: CameraRules(targetBounds: TargetBounds(bounds, mode: mode)))
    }
}
