import Testing

@testable import MapGeometry

/// Horizons, copies of the world, and extreme numbers.
@Suite struct ProjectionEdgeTests {
    /// Returns a projection that is tilted by 65°. Its target is in the lowest part of the view. The horizon is 900 /
    /// tan 65° = 419.68 points above the target.
    private func skyward() throws -> Projection {
        try mapView(padding: EdgeInsets(top: 500, left: 0, bottom: 0, right: 0))
            .projection(of: camera([-33.8683, 151.2086, 16, 30, 65]))
    }

    @Test(arguments: [(130.0, false), (130.3, false), (130.4, true), (131, true), (550, true), (600, true)])
    func seesNoGroundAboveTheHorizon(y: Double, ground: Bool) throws {
        let (projection, point) = try (skyward(), ScreenPoint(x: 10, y: y))
        if ground {
            #expect(throws: Never.self) { try projection.coordinate(at: point) }
        } else {
            #expect(throws: CameraError.aboveHorizon(x: 10, y: y)) { try projection.coordinate(at: point) }
            #expect(CameraError.aboveHorizon(x: 10, y: y).isUnanswerable)
        }
    }

    /// docs/spec/model.md ruling 6.
    @Test func definesTheVisibleRegionUnderPadding() throws {
        let region = try skyward().visibleRegion
        #expect(try agree(region.nearLeft, skyward().coordinate(at: ScreenPoint(x: 0, y: 600)).coordinate))
        #expect(try agree(region.farRight, skyward().coordinate(at: ScreenPoint(x: 800, y: 500)).coordinate))
    }

    @Test func showsTheHorizonWithASteeperLimit() throws {
        let limit = try ViewingAngleLimit(knots: [ViewingAngleLimit.Knot(zoom: 0, angle: 80)])
        let projection = try mapView(CameraRules(viewingAngleLimit: limit)).projection(of: camera([0, 0, 10, 0, 80]))
        #expect(throws: CameraError.aboveHorizon(x: 0, y: 0)) { try projection.visibleRegion }
    }

    /// A map that is turned by a right angle stays exact: no rounding error of the other axis appears. A tile is 256
    /// points wide.
    @Test(
        arguments: [(0.0, [0.0625, 0.0]), (90, [0, 0.0625]), (180, [-0.0625, 0]), (270, [0, -0.0625])]
            as [(Double, [Double])])
    func isExactAtRightAngles(bearing: Double, offset: [Double]) throws {
        let projection = try mapView().projection(of: camera([-33.8683, 151.2086, 4, bearing]))
        let right = try #require(projection.offset(at: ScreenPoint(x: 656, y: 300)))
        #expect([right.x, right.y] == offset)
    }

    @Test func seesNothingBehindTheCamera() throws {
        let projection = try mapView().projection(of: camera([0, 0, 16, 0, 65]))
        // The camera is 900 · sin 65° points south of the target. Ground farther than 900 / sin 65° points is behind
        // the camera.
        let limit = 900 / 0.9063077870366499 / projection.worldSize
        #expect(projection.point(for: Mercator.unproject(WorldPoint(x: 0.5, y: 0.5 + limit * 0.999))) != nil)
        let behind = Mercator.unproject(WorldPoint(x: 0.5, y: 0.5 + limit * 1.001))
        #expect(projection.point(for: behind) == nil)
        #expect(!projection.contains(behind))
    }

    /// A y outside of the world becomes its edge (docs/spec/model.md 9).
    @Test func clampsPlacesBeyondTheWorld() throws {
        let projection = try mapView().projection(of: camera([0, 0, 0]))
        let north = try projection.coordinate(at: ScreenPoint(x: 400, y: 100))
        #expect(north.isOutside && abs(north.coordinate.latitude - 85.0511287798) < 1e-9)
        let south = try projection.coordinate(at: ScreenPoint(x: 400, y: 599))
        #expect(south.isOutside && abs(south.coordinate.latitude + 85.0511287798) < 1e-9)
        #expect(try !projection.coordinate(at: ScreenPoint(x: 400, y: 300)).isOutside)
    }

    /// The point is that of the nearest copy. Exactly half a world away it is that of the western copy
    /// (docs/spec/model.md rulings 10, 11).
    @Test func showsTheNearestCopyButContainsAny() throws {
        let projection = try mapView(width: 1000).projection(of: camera([0, 0, 0]))
        let opposite = try #require(projection.point(for: place(0, 180)))
        #expect(opposite == ScreenPoint(x: 500 - 128, y: 300))
        #expect(projection.point(for: try place(0, -180)) == opposite)
        #expect(try projection.visibleRegion.bounds.longitudeSpan == 360)
        let padded = try mapView(width: 1000, padding: EdgeInsets(top: 0, left: 900, bottom: 0, right: 0))
            .projection(of: camera([0, 0, 0]))
        // The view is centred on x 950. The nearest copy of 170° W is at 829, outside of the view. Copies are 256
        // points apart.
        let west = try place(0, -170)
        #expect(try !padded.isVisible(#require(padded.point(for: west))))
        #expect(!padded.contains(west))
        let wide = try mapView(width: 1000, padding: EdgeInsets(top: 0, left: 700, bottom: 0, right: 0))
            .projection(of: camera([0, 0, 0]))
        // The view is centred on x 850. The nearest copy is at 729.1 and the next copy at 985.1. Both are inside.
        #expect(wide.contains(west))
        let narrow = try mapView(width: 1000, padding: EdgeInsets(top: 0, left: 0, bottom: 0, right: 760))
            .projection(of: camera([0, 119, 0]))
        // The 240 points show 337.5 degrees around longitude 119: from -49.75 eastwards to 287.75, which equals -72.25.
        for (longitude, seen) in [
            (-49.7, true), (-49.8, false), (-72.2, false), (-72.3, true), (119, true), (-61, false),
        ] {
            #expect(try narrow.contains(place(0, longitude)) == seen, "\(longitude)")
        }
    }

    /// Compares with the definition: a place is contained if the screen point of any copy is inside.
    @Test func containsPlacesThatAnyCopyShows() throws {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<400 {
            let position = try camera([
                .random(in: -80...80, using: &generator), .random(in: -180...180, using: &generator),
                .random(in: 0...3, using: &generator), .random(in: 0...360, using: &generator),
                .random(in: 0...30, using: &generator),
            ])
            let projection = try mapView(padding: EdgeInsets(top: 100, left: 30, bottom: 0, right: 500))
                .projection(of: position)
            let coordinate = try place(
                .random(in: -85...85, using: &generator), .random(in: -180...180, using: &generator))
            let start = projection.offset(to: coordinate)
            let seen = (-40...40).contains { copy in
                let ground = projection.ground(atOffset: WorldPoint(x: start.x + Double(copy), y: start.y))
                let depth = projection.depth(down: ground.down)
                let x = projection.center.x + ground.right * projection.distance / depth
                let y = projection.center.y + ground.down * projection.tilt.cosine * projection.distance / depth
                return depth > 0 && (30...300).contains(x) && (100...600).contains(y)
            }
            #expect(projection.contains(coordinate) == seen)
        }
    }

    @Test func survivesExtremes() throws {
        let views = try [
            mapView(), mapView(width: 4096, height: .leastNonzeroMagnitude), mapView(width: 1e-300, height: 4096),
        ]
        for view in views {
            for angle in [0.0, 65] {
                let projection = try view.projection(of: camera([85, 180, 30, 33, angle]))
                for first in extremes {
                    for second in extremes {
                        // An error is allowed. A crash or a number that is not finite is not allowed.
                        let ground = try? projection.coordinate(at: ScreenPoint(x: first, y: second)).coordinate
                        if let ground { #expect(abs(ground.latitude) <= 85.06 && abs(ground.longitude) <= 180) }
                    }
                    let point = projection.point(for: try place(45, first))
                    #expect(point.map { $0.x.isFinite && $0.y.isFinite } ?? true)
                    _ = projection.contains(try place(45, first))
                }
            }
        }
        let projection = try mapView().projection(of: camera([0, 0, 3]))
        for value in notFinite {
            #expect(throws: CameraError.self) { try projection.coordinate(at: ScreenPoint(x: value, y: 0)) }
            #expect(throws: CameraError.self) { try projection.coordinate(at: ScreenPoint(x: 0, y: value)) }
            #expect(!projection.isVisible(ScreenPoint(x: value, y: 0)))
        }
    }
}
