import Testing

@testable import MapGeometry

@Suite struct FittingTests {
    /// T-FIT-1 to T-FIT-4, T-FIT-6.
    @Test(arguments: CameraVectors.fits)
    func fitsBounds(row: [[Double]]) throws {
        let bounds = try CoordinateBounds.checked(southWest: place(row[0]), northEast: place(row[1]))
        let insets = EdgeInsets(top: row[2][0], left: row[2][1], bottom: row[2][2], right: row[2][3])
        let found = try mapView().camera(for: bounds, insets: insets)
        #expect(abs(found.position.zoom - row[3][0]) < 1e-6)
        #expect(try agree(found.position.target, place(row[3][1], row[3][2])))
        let updated = try mapView().apply(.fit(bounds, with: insets), to: camera([1, 2, 3]))
        #expect(updated.position == found.position)
    }

    /// T-FIT-1 to T-FIT-4, last column.
    @Test(arguments: [
        (EdgeInsets(all: 64), [64.0, 403.6261, 736, 196.3739]), (.zero, [0, 423.3644, 800, 176.6356]),
        (EdgeInsets(top: 100, left: 50, bottom: 20, right: 30), [50, 451.0279, 770, 228.9721]),
    ])
    func putsCornersAtTheInsets(insets: EdgeInsets, screen: [Double]) throws {
        let bounds = try westernCanada()
        let projection = try mapView().projection(of: mapView().camera(for: bounds, insets: insets).position)
        let southWest = try #require(projection.point(for: place(49.26, -123.11)))
        let northEast = try #require(projection.point(for: place(51.05, -114.05)))
        for (found, expected) in zip([southWest.x, southWest.y, northEast.x, northEast.y], screen) {
            #expect(abs(found - expected) < 1e-4)
        }
    }

    /// T-FIT-1, T-FIT-3, T-FIT-9. The default padding is 64 points. The fitted camera has north up and looks straight
    /// down.
    @Test func fitsByAnUpdate() throws {
        let (view, start) = try (mapView(), camera([1, 2, 18, 90, 45]))
        let plain = try view.apply(.fit(westernCanada()), to: start)
        #expect(abs(plain.position.zoom - 6.704659469) < 1e-6)
        #expect(try agree(plain.position.target, place(50.163378172, -118.58)))
        #expect(plain.position.bearing == 0 && plain.position.viewingAngle == 0)
        #expect(plain.clamped.isEmpty)
        let padded = try view.apply(.fit(westernCanada(), withPadding: 100), to: start)
        #expect(abs(padded.position.zoom - 6.541160737) < 1e-6)
    }

    /// T-FIT-5.
    @Test(arguments: [300.0, 400, 1e308])
    func zoomsAllTheWayOutWhenPaddingLeavesNothing(padding: Double) throws {
        let end = try mapView().apply(.fit(westernCanada(), withPadding: padding), to: camera([1, 2, 3]))
        #expect(end.position.zoom == 0)
        #expect(try agree(end.position.target, place(50.163378172, -118.58)))
    }

    /// The target is the middle of the bounds. The insets do not move it.
    @Test func centresWhenInsetsLeaveNothing() throws {
        let insets = EdgeInsets(top: 0, left: 900, bottom: 0, right: 0)
        let found = try mapView().camera(for: westernCanada(), insets: insets).position
        #expect(found.zoom == 0)
        #expect(try agree(found.target, place(50.163378172, -118.58)))
    }

    /// T-FIT-7.
    @Test func fitsTheWorld() throws {
        let bounds = try CoordinateBounds.checked(southWest: place(-85, -180), northEast: place(85, 180))
        let found = try mapView().camera(for: bounds, insets: EdgeInsets(all: 64)).position
        #expect(abs(found.zoom - 0.887376830) < 1e-6)
        #expect(try agree(found.target, place(0, 0)))
        let sdk = try mapView(CameraRules(zoomRange: .sdk)).camera(for: bounds, insets: EdgeInsets(all: 64)).position
        #expect(sdk.zoom == 2)
    }

    /// T-FIT-8, and bounds without width or without height. The other side alone then sets the zoom.
    @Test func fitsBoundsWithoutArea() throws {
        let point = try CoordinateBounds(place(49.26, -123.11), place(49.26, -123.11))
        #expect(try mapView().camera(for: point).position.zoom == 21)
        #expect(try agree(mapView().camera(for: point).position.target, place(49.26, -123.11)))
        let parallel = try CoordinateBounds.checked(southWest: place(50, -90), northEast: place(50, 90))
        #expect(try abs(mapView().camera(for: parallel).position.zoom - 2.643856189774724) < 1e-9)
        let meridian = try CoordinateBounds.checked(
            southWest: place(-85.0511287798066, 5), northEast: place(85.0511287798066, 5))
        #expect(try abs(mapView().camera(for: meridian).position.zoom - 1.2288186904958804) < 1e-9)
    }

    /// T-FIT-10.
    @Test func rejectsEmptyBounds() throws {
        #expect(throws: CameraError.emptyBounds) { try mapView().camera(for: .empty) }
        #expect(throws: CameraError.emptyBounds) { try mapView().apply(.fit(.empty), to: camera([1, 2, 3])) }
        #expect(CameraError.emptyBounds.isUnanswerable && CameraError.emptyBounds.parameter == .bounds)
    }

    /// The view's padding is added to the insets. The padding alone also moves the middle of the view.
    @Test func addsTheViewsPadding() throws {
        let padding = EdgeInsets(top: 60, left: 30, bottom: 0, right: 10)
        let insets = EdgeInsets(top: 40, left: 20, bottom: 20, right: 20)
        let view = try mapView(padding: padding)
        let found = try view.camera(for: westernCanada(), insets: insets).position
        #expect(abs(found.zoom - 6.804195142) < 1e-6)
        let projection = try view.projection(of: found)
        let southWest = try #require(projection.point(for: place(49.26, -123.11)))
        let northEast = try #require(projection.point(for: place(51.05, -114.05)))
        #expect(abs(southWest.x - 50) < 1e-4 && abs(northEast.x - 770) < 1e-4)
        #expect(abs(southWest.y - 451.0279) < 1e-4 && abs(northEast.y - 228.9721) < 1e-4)
    }

    /// Insets of -100 points give the same result as a view of 1000 × 800 points (docs/spec/model.md ruling 13).
    @Test func reachesBeyondTheViewWithNegativeInsets() throws {
        let beyond = try mapView().camera(for: westernCanada(), insets: EdgeInsets(all: -100)).position
        let wide = try mapView(width: 1000, height: 800).camera(for: westernCanada()).position
        #expect(beyond == wide)
    }
}
