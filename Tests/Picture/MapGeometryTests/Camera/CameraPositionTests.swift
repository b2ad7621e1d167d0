import Testing

@testable import MapGeometry

@Suite struct CameraPositionTests {
    /// T-CAM-1, T-CAM-2.
    @Test(
        arguments: CameraVectors.wrappedLongitudes + [
            [900, -180], [-540, -180], [1e308, 1e308.remainder(dividingBy: 360)],
        ])
    func wrapsLongitudes(row: [Double]) throws {
        let resolved = try MapView().normalized(camera([0, row[0], 4]))
        #expect(resolved.position.longitude == row[1])
        #expect(resolved.clamped == (row[0] == row[1] ? [] : [.longitude]))
    }

    /// T-CAM-3.
    @Test(arguments: CameraVectors.clampedLatitudes)
    func clampsLatitudes(row: [Double]) throws {
        let resolved = try MapView().normalized(camera([row[0], 0, 4]))
        #expect(resolved.position.latitude == row[1])
        #expect(resolved.clamped == (row[0] == row[1] ? [] : [.latitude]))
    }

    /// T-CAM-4.
    @Test(arguments: [(-90.0, 270.0), (360, 0), (450, 90), (270, 270), (-360, 0), (-1e-20, 0), (359.5, 359.5)])
    func wrapsBearings(given: Double, expected: Double) throws {
        let resolved = try MapView().normalized(camera([0, 0, 4, given]))
        #expect(resolved.position.bearing == expected)
        #expect(resolved.position.bearing.sign == .plus)
        #expect(resolved.clamped == (given == expected ? [] : [.bearing]))
    }

    /// T-CAM-5.
    @Test(arguments: CameraVectors.viewingAngleLimits)
    func limitsTheViewingAngleByZoom(row: [Double]) throws {
        #expect(abs(ViewingAngleLimit.sdk.angle(atZoom: row[0]) - row[1]) < 1e-8)
        let resolved = try MapView().normalized(camera([0, 0, row[0], 0, 90]))
        #expect(abs(resolved.position.viewingAngle - row[1]) < 1e-8)
    }

    /// T-CAM-5, profile android.
    @Test(arguments: [
        (0.0, 30.0), (10, 30), (12, 37.5), (13, 41.25), (14, 45), (15, 60), (15.5, 67.5), (16, 67.5), (21, 67.5),
    ])
    func limitsTheViewingAngleAsAndroidDoes(zoom: Double, angle: Double) {
        #expect(abs(ViewingAngleLimit.android.angle(atZoom: zoom) - angle) < 1e-8)
    }

    /// T-CAM-6, T-CAM-7 and negative angles.
    @Test(
        arguments: [
            ([-33.0, 151, 6, 270, 45], 30.0, [CameraParameter.viewingAngle]), ([-33, 151, 18, 270, 45], 45, []),
            ([-33, 151, 18, 270, -1], 0, [.viewingAngle]),
        ] as [([Double], Double, [CameraParameter])])
    func clampsOnlyTheViewingAngle(numbers: [Double], angle: Double, clamped: [CameraParameter]) throws {
        let resolved = try MapView().normalized(camera(numbers))
        #expect(try resolved.position == camera(Array(numbers[..<4]) + [angle]))
        #expect(resolved.clamped == clamped)
    }

    @Test func limitsTheViewingAngleByTheClampedZoom() throws {
        let rules = try CameraRules(zoomRange: ZoomRange(minimum: 0, maximum: 10))
        let resolved = try MapView(rules: rules).normalized(camera([100, 480, 16, -90, 65]))
        #expect(try resolved.position == camera([85, 120, 10, 270, 30]))
        #expect(resolved.clamped == [.latitude, .longitude, .zoom, .bearing, .viewingAngle])
    }

    /// T-CAM-9, T-CAM-10.
    @Test(arguments: CameraVectors.zoomsAtCoordinate)
    func findsTheZoomForALength(row: [Double]) throws {
        let zoom = try CameraPosition.zoom(at: place(row[0], 0), metres: row[1], points: row[2])
        #expect(abs(zoom - row[3]) < 1e-6)
    }

    /// Half as many points lower the zoom by one, also below the range of every map. The zoom at a pole is the zoom at
    /// the edge of the world.
    @Test func findsZoomsOutsideAnyRange() throws {
        let near = try CameraPosition.zoom(at: place(0, 0), metres: 1e-3, points: 4096)
        let far = try CameraPosition.zoom(at: place(0, 0), metres: 1e-3, points: 2048)
        #expect(near > 30 && abs(near - far - 1) < 1e-9)
        #expect(try CameraPosition.zoom(at: place(0, 0), metres: 1e308, points: .leastNonzeroMagnitude) < -2000)
        let (pole, edge) = try (place(90, 0), place(Mercator.maxLatitude, 0))
        #expect(
            try CameraPosition.zoom(at: pole, metres: 1, points: 1)
                == CameraPosition.zoom(at: edge, metres: 1, points: 1))
    }

    @Test(arguments: [0, -1, -.infinity, .infinity, Double.nan])
    func rejectsLengthsThatAreNotAboveZero(length: Double) throws {
        let origin = try place(0, 0)
        #expect { try CameraPosition.zoom(at: origin, metres: length, points: 1) } throws: {
            ($0 as? CameraError)?.parameter == .meters
        }
        #expect { try CameraPosition.zoom(at: origin, metres: 1, points: length) } throws: {
            ($0 as? CameraError)?.parameter == .points
        }
    }

    /// T-CAM-11.
    @Test(arguments: notFinite)
    func rejectsNonFiniteNumbers(value: Double) throws {
        let expected: [CameraParameter] = [.latitude, .longitude, .zoom, .bearing, .viewingAngle]
        for (index, parameter) in expected.enumerated() {
            var numbers = [1.0, 2, 3, 4, 5]
            numbers[index] = value
            #expect {
                _ = try camera(numbers)
            } throws: {
                let error = $0 as? CameraError
                return error?.parameter == parameter && error?.isUnanswerable == false
            }
        }
    }

    @Test func normalizesAllFiniteNumbers() throws {
        let view = try mapView()
        for first in extremes {
            for second in extremes {
                let position = view.normalized(try camera([first, second, first, second, first])).position
                #expect((-85...85).contains(position.latitude) && (-180...180).contains(position.longitude))
                #expect((0...21).contains(position.zoom) && (0..<360).contains(position.bearing))
                #expect((0...65).contains(position.viewingAngle))
                #expect(view.normalized(position) == ResolvedCamera(position: position, clamped: []))
            }
        }
    }
}
