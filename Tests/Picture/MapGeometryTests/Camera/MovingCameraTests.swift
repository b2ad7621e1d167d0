import Testing

@testable import MapGeometry

/// The camera as a variable, and a map that holds a camera.
@Suite struct MovingCameraTests {
    // MARK: CameraPosition as a var

    @Test func changesOnePropertyAtATime() throws {
        var position = try camera([49.26, -123.11, 10])
        position.zoom += 1
        position.bearing = -30
        position.viewingAngle = 20
        position.target = try place(51.05, -114.05)
        #expect(try position == camera([51.05, -114.05, 11, -30, 20]))
        // A camera keeps values outside of a map's range, as in `init`. The map clamps them.
        position.latitude = 100
        position.longitude = 480
        #expect(try position == camera([100, 480, 11, -30, 20]))
        #expect(try MapView().normalized(position).position == camera([85, 120, 11, 330, 20]))
    }

    @Test(arguments: notFinite)
    func ignoresNonFiniteValues(value: Double) throws {
        let start = try camera([1, 2, 3, 4, 5])
        let properties: [WritableKeyPath<CameraPosition, Double>] = [
            \.latitude, \.longitude, \.zoom, \.bearing, \.viewingAngle,
        ]
        for property in properties {
            var position = start
            position[keyPath: property] = value
            #expect(position == start)
        }
    }

    @Test func acceptsATarget() throws {
        let target = try place(49.26, -123.11)
        #expect(
            try CameraPosition(target: target, zoom: 10, bearing: 30, viewingAngle: 5)
                == camera([49.26, -123.11, 10, 30, 5]))
        #expect(throws: CameraError.self) { try CameraPosition.checked(latitude: 1, longitude: 2, zoom: .nan) }
    }

    // MARK: MapView

    @Test func startsAtTheDefaultOrTheGivenCamera() throws {
        let rules = CameraRules(zoomRange: .sdk)
        #expect(try MapView(rules: rules).camera == camera([0, 0, 2]))
        let map = try MapView(rules: rules, camera: camera([100, 480, 30, -90, 90]))
        #expect(try map.camera == camera([85, 120, 21, 270, 65]))
    }

    /// T-ZOOM-1: a new range moves the camera at once.
    @Test func keepsTheCameraWithinTheMapsRules() throws {
        var map = try mapView()
        map.camera = try camera([100, 480, 4, -90, 90])
        #expect(try map.camera == camera([85, 120, 4, 270, 30]))
        try map.setMinZoom(10, maxZoom: 15)
        #expect(map.camera.zoom == 10 && map.minZoom == 10 && map.maxZoom == 15)
        #expect(throws: CameraError.zoomRangeInverted(minimum: 15, maximum: 10)) {
            try map.setMinZoom(15, maxZoom: 10)
        }
        #expect(map.minZoom == 10)
        map.rules.targetBounds = try TargetBounds(westernCanada(), mode: .strict)
        // T-TB-1.
        map.camera = try camera([55, -100, 12])
        #expect(try map.camera == camera([51.05, -114.05, 12]))
        map.rules.targetBounds = nil
        map.camera = try camera([55, -100, 12])
        #expect(try map.camera == camera([55, -100, 12]))
    }

    @Test func zoomsInWhenTheViewBecomesTaller() throws {
        var map = try mapView(CameraRules(fillsViewport: true), height: 256)
        #expect(map.camera.zoom == 0)
        map.viewport = try Viewport.checked(width: 800, height: 1024)
        #expect(map.camera.zoom == 2)
    }

    /// T-PAD-1.
    @Test func paddingMovesTheMiddle() throws {
        var map = try mapView()
        map.camera = try camera([-33.8683, 151.2086, 16])
        try map.setPadding(EdgeInsets(top: 200, left: 0, bottom: 0, right: 0))
        let point = try #require(try map.projection.point(for: map.camera.target))
        #expect(abs(point.x - 400) < 1e-4 && abs(point.y - 400) < 1e-4)
        #expect(throws: CameraError.self) { try map.setPadding(EdgeInsets(all: 400)) }
        #expect(map.viewport?.padding.top == 200)
        var unseen = MapView()
        #expect(throws: CameraError.viewMissing) { try unseen.setPadding(.zero) }
        #expect(throws: CameraError.viewMissing) { try unseen.projection }
    }

    /// T-FIT-1, T-UPD-1.
    @Test func movesItsCameraByUpdates() throws {
        var map = try mapView()
        try map.moveCamera(.fit(westernCanada()))
        #expect(abs(map.camera.zoom - 6.704659469) < 1e-6)
        #expect(try agree(map.camera.target, place(50.163378172, -118.58)))
        let moved = try map.moveCamera(.zoomIn)
        #expect(moved.position == map.camera && moved.clamped.isEmpty)
        #expect(abs(map.camera.zoom - 7.704659469) < 1e-6)
        let before = map.camera
        #expect(throws: CameraError.emptyBounds) { try map.moveCamera(.fit(.empty)) }
        #expect(throws: CameraError.self) { try map.moveCamera(.zoom(to: .nan)) }
        #expect(map.camera == before)
        #expect(try map.moveCamera(.zoom(by: 100)).clamped == [.zoom])
        #expect(map.camera.zoom == 21)
    }

    @Test func animatesFromItsCamera() throws {
        var map = try mapView()
        map.camera = try camera([-33.868, 151.208, 6])
        let first = try map.animate(to: camera([49.26, -123.11, 6]), duration: 1, fps: 4, curve: .linear)
        // T-ANIM-2.
        #expect(first.frames.count == 5)
        #expect(try agree(first.frames[2].target, place(10.310467, -165.951)))
        #expect(map.camera == first.end && first.frames.last == first.end)
        let second = try map.animate(with: .toBearing(90))
        #expect(second.start == first.end && second.end.bearing == 90 && map.camera == second.end)
        #expect(throws: CameraError.self) { try map.animate(with: .zoomIn, duration: 61) }
        #expect(map.camera == second.end)
    }

    @Test func hasTheNamesOfTheSDK() throws {
        let (bounds, target) = try (westernCanada(), place(1, 2))
        #expect(CameraUpdate.zoomIn == .zoom(by: 1) && CameraUpdate.zoomOut == .zoom(by: -1))
        #expect(CameraUpdate.fit(bounds) == .fit(bounds, withPadding: 64))
        #expect(CameraUpdate.fit(bounds) != .fit(bounds, withPadding: 65))
        #expect(CameraUpdate.setTarget(target) == .setTarget(latitude: 1, longitude: 2))
        #expect(CameraUpdate.setTarget(target, zoom: 3) == .setTarget(latitude: 1, longitude: 2, zoom: 3))
        #expect(ZoomRange.sdk.minimum == 2 && ZoomRange.sdk.maximum == 21)
    }
}
