import Testing

@testable import MapGeometry

@Suite struct CameraUpdateTests {
    /// T-UPD-1, T-UPD-2.
    @Test(
        arguments: [
            (12.0, CameraUpdate.zoomIn, 13.0, []), (12, .zoomOut, 11, []), (12, .zoom(by: -2), 10, []),
            (12, .zoom(to: 5), 5, []), (20.5, .zoomIn, 21, [.zoom]), (0.5, .zoomOut, 0, [.zoom]),
            (12, .zoom(by: 1e308), 21, [.zoom]),
            (12, .zoom(to: -1e308), 0, [.zoom]),
        ] as [(Double, CameraUpdate, Double, [CameraParameter])])
    func zooms(from: Double, update: CameraUpdate, to: Double, clamped: [CameraParameter]) throws {
        let start = try camera([-33.8683, 151.2086, from, 77, 20])
        let end = try MapView().apply(update, to: start)
        #expect(end.position == start.with(zoom: to))
        #expect(end.clamped == clamped)
    }

    /// T-CAM-8.
    @Test func zoomingOutLowersTheViewingAngle() throws {
        let end = try MapView().apply(.zoom(to: 12), to: camera([0, 0, 16, 0, 65]))
        #expect(abs(end.position.viewingAngle - 41.666667) < 1e-6)
        #expect(end.clamped == [.viewingAngle])
    }

    /// T-UPD-3 to T-UPD-8.
    @Test(arguments: CameraVectors.scrolls)
    func scrolls(row: [[Double]]) throws {
        let start = try camera(row[0])
        let end = try mapView().apply(.scrollBy(x: row[1][0], y: row[1][1]), to: start)
        #expect(try agree(end.position.target, place(row[2])))
        #expect(end.position.with(latitude: start.latitude, longitude: start.longitude) == start)
        #expect(end.clamped.isEmpty)
    }

    /// T-UPD-9 to T-UPD-12.
    @Test(arguments: CameraVectors.zoomsAtPoint)
    func zoomsAroundAFixedPoint(row: [[Double]]) throws {
        let (view, start) = try (mapView(), camera(row[0]))
        let point = ScreenPoint(x: row[2][0], y: row[2][1])
        let end = try view.apply(.zoom(by: row[1][0], at: point), to: start).position
        #expect(end.zoom == start.zoom + row[1][0])
        #expect(try agree(end.target, place(row[3])))
        for position in [start, end] {
            #expect(try agree(view.projection(of: position).coordinate(at: point).coordinate, place(row[4])))
        }
    }

    /// T-UPD-13, T-UPD-14.
    @Test(
        arguments: [([49.26, -123.11], [49.26, -123.11], []), ([100, 480], [85, 120], [.latitude, .longitude])]
            as [([Double], [Double], [CameraParameter])])
    func setsTheTarget(given: [Double], expected: [Double], clamped: [CameraParameter]) throws {
        let start = try camera([1, 2, 18, 30, 45])
        let update = CameraUpdate.setTarget(latitude: given[0], longitude: given[1])
        let end = try MapView().apply(update, to: start)
        #expect(try end.position == camera(expected + [18, 30, 45]))
        #expect(end.clamped == clamped)
        let both = CameraUpdate.setTarget(latitude: given[0], longitude: given[1], zoom: 17)
        #expect(try MapView().apply(both, to: start).position == camera(expected + [17, 30, 45]))
    }

    @Test func setsOneProperty() throws {
        let start = try camera([1, 2, 18, 30, 45])
        let view = MapView()
        let turned = try view.apply(.toBearing(-90), to: start)
        #expect(try turned == ResolvedCamera(position: camera([1, 2, 18, 270, 45]), clamped: [.bearing]))
        let tilted = try view.apply(.toViewingAngle(90), to: start)
        #expect(try tilted == ResolvedCamera(position: camera([1, 2, 18, 30, 65]), clamped: [.viewingAngle]))
        let other = try camera([5, 6, 7, 8, 9])
        #expect(try view.apply(.setCamera(other), to: start) == ResolvedCamera(position: other, clamped: []))
    }

    /// The update starts at the camera that the map shows, and not at the requested camera.
    @Test func startsAtTheClampedCamera() throws {
        let end = try MapView().apply(.zoomOut, to: camera([0, 0, 99]))
        #expect(try end == ResolvedCamera(position: camera([0, 0, 20]), clamped: [.zoom]))
    }

    /// Reports every property that the first camera or any update clamped.
    @Test func appliesUpdatesInTurn() throws {
        let updates: [CameraUpdate] = [.zoom(to: 40), .zoom(by: -2), .scrollBy(x: 0, y: 0), .toBearing(5)]
        let end = try mapView().apply(updates, to: camera([0, 0, 6, 361, 0]))
        #expect(try end.position == camera([0, 0, 19, 5, 0]))
        #expect(end.clamped == [.zoom, .bearing])
        #expect(try MapView().apply([], to: camera([0, 0, 99])).position.zoom == 21)
    }

    @Test func namesTheFailingUpdate() throws {
        let start = try camera([0, 0, 6])
        let expected = CameraUpdateError(index: 1, reason: .viewMissing)
        #expect(throws: expected) { try MapView().apply([.zoomIn, .scrollBy(x: 1, y: 1)], to: start) }
    }

    @Test(arguments: [
        CameraUpdate.scrollBy(x: 1, y: 1), .zoom(by: 1, at: ScreenPoint(x: 0, y: 0)), .fit(.empty),
        .fit(.empty, withPadding: 5), .fit(.empty, with: .zero),
    ])
    func needsAView(update: CameraUpdate) throws {
        let start = try camera([0, 0, 6])
        #expect(throws: CameraError.viewMissing) { try MapView().apply(update, to: start) }
        #expect(!CameraError.viewMissing.isUnanswerable)
    }

    @Test(arguments: notFinite)
    func rejectsNonFiniteNumbers(value: Double) throws {
        let (start, bounds) = try (camera([0, 0, 6]), westernCanada())
        let point = ScreenPoint(x: 1, y: 1)
        let updates: [(CameraUpdate, CameraParameter)] = [
            (.zoom(to: value), .zoom), (.zoom(by: value), .delta), (.zoom(by: value, at: point), .delta),
            (.zoom(by: 1, at: ScreenPoint(x: value, y: 1)), .point),
            (.zoom(by: 1, at: ScreenPoint(x: 1, y: value)), .point),
            (.setTarget(latitude: value, longitude: 1), .latitude),
            (.setTarget(latitude: 1, longitude: value), .longitude),
            (.setTarget(latitude: 1, longitude: 1, zoom: value), .zoom), (.scrollBy(x: value, y: 1), .x),
            (.scrollBy(x: 1, y: value), .y), (.fit(bounds, withPadding: value), .padding),
            (.fit(bounds, with: EdgeInsets(top: 0, left: 0, bottom: value, right: 0)), .insets),
            (.toBearing(value), .bearing),
            (.toViewingAngle(value), .viewingAngle),
        ]
        for (update, parameter) in updates {
            #expect {
                _ = try mapView().apply(update, to: start)
            } throws: {
                let error = $0 as? CameraError
                return error?.parameter == parameter && error?.isUnanswerable == false
            }
        }
    }

    /// Above the horizon there is no ground that could stay in place or be scrolled to (docs/spec/model.md ruling 12).
    @Test func rejectsPointsAboveTheHorizon() throws {
        let view = try mapView(padding: EdgeInsets(top: 500, left: 0, bottom: 0, right: 0))
        let start = try camera([0, 0, 16, 0, 65])
        #expect(throws: CameraError.aboveHorizon(x: 10, y: 20)) {
            try view.apply(.zoom(by: 1, at: ScreenPoint(x: 10, y: 20)), to: start)
        }
        #expect(throws: CameraError.aboveHorizon(x: 400, y: 50)) {
            try view.apply(.scrollBy(x: 0, y: -500), to: start)
        }
    }

    /// The ground under the point may lie outside of the world, here at y = 0.5 - 300 / 256 (docs/spec/model.md ruling
    /// 12).
    @Test func zoomsAtAPointOffTheWorld() throws {
        let end = try mapView().apply(.zoom(by: 1, at: ScreenPoint(x: 400, y: 0)), to: camera([0, 0, 0]))
        // The new middle is half way to this ground, at y = 0.5 - 150 / 256. It is outside of the world too, so it
        // becomes 85°.
        #expect(try end.position == camera([85, 0, 1]))
        #expect(end.clamped == [.latitude])
        let near = try mapView().apply(.zoom(by: 1, at: ScreenPoint(x: 400, y: 100)), to: camera([0, 0, 0])).position
        #expect(abs(Mercator.project(near.target).y - (0.5 - 100.0 / 256)) < 1e-12)
    }

    /// docs/spec/model.md 6.7, ruling 12.
    @Test(arguments: [
        (CameraUpdate.zoomIn, true), (.zoomOut, true), (.zoom(to: 5), true), (.zoom(by: 1), true),
        (.zoom(by: 1, at: ScreenPoint(x: 1, y: 1)), true), (.scrollBy(x: 5000, y: 0), true),
        (.setTarget(latitude: 0, longitude: 0), false),
        (.setTarget(latitude: 0, longitude: 0, zoom: 3), false), (.toBearing(5), false),
        (.toViewingAngle(5), false),
    ])
    func keepsGesturesWithinTargetBounds(update: CameraUpdate, held: Bool) throws {
        let bounds = try westernCanada()
        let start = try camera([0, 0, 6])
        for (mode, expected) in [(TargetBounds.Mode.gestures, held), (.strict, true)] {
            let view = try mapView(CameraRules(targetBounds: TargetBounds(bounds, mode: mode)))
            let end = try view.apply(update, to: start)
            #expect(bounds.contains(end.position.target) == expected)
        }
    }

    @Test func survivesExtremes() throws {
        let views = try [mapView(), mapView(padding: EdgeInsets(top: 599, left: 0, bottom: 0, right: 799))]
        for view in views {
            for first in extremes {
                for second in extremes {
                    let insets = EdgeInsets(top: first, left: second, bottom: second, right: first)
                    let updates: [CameraUpdate] = try [
                        .zoom(by: first), .zoom(by: first, at: ScreenPoint(x: second, y: first)), .zoom(to: first),
                        .setTarget(latitude: first, longitude: second, zoom: first),
                        .scrollBy(x: first, y: second),
                        .fit(westernCanada(), withPadding: first), .fit(westernCanada(), with: insets),
                        .fit(CoordinateBounds(place(85, first), place(0, second)), with: insets),
                        .toBearing(first), .toViewingAngle(second),
                    ]
                    for update in updates {
                        for start in try [camera([85, 180, 30, 5, 90]), camera([first, second, 0, first, 0])] {
                            // An error for a point above the horizon is allowed.
                            guard let end = try? view.apply(update, to: start).position else { continue }
                            #expect(view.normalized(end).clamped.isEmpty)
                        }
                    }
                }
            }
        }
    }
}
