import Foundation
import Testing

@testable import MapGeometry

/// Properties that hold for every camera, tested with cameras from seeded random numbers.
@Suite struct CameraPropertyTests {
    /// A map, a view and a requested camera, which is mostly out of range.
    private struct Sample {
        let view: MapView
        let asked: CameraPosition
        let position: CameraPosition
        let projection: Projection
    }

    private func samples(_ count: Int, seed: UInt64, flat: Bool = false) throws -> [Sample] {
        var generator = SeededGenerator(seed: seed)
        return try (0..<count).map { _ in
            func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &generator) }
            let (width, height) = (number(1...4096), number(1...4096))
            let padding = EdgeInsets(
                top: height * number(0...0.45), left: width * number(0...0.45), bottom: height * number(0...0.45),
                right: width * number(0...0.45))
            let corner = try place(number(-80...70), number(-180...180))
            let bounds = try CoordinateBounds.checked(
                southWest: corner,
                northEast: place(corner.latitude + number(0...10), corner.longitude + number(0...300)))
            let mode: TargetBounds.Mode? = [nil, .gestures, .strict].randomElement(using: &generator) ?? nil
            let low = number(0...10)
            let rules = try CameraRules(
                zoomRange: ZoomRange(minimum: low, maximum: low + number(0...11)), fillsViewport: number(0...1) < 0.5,
                viewingAngleLimit: number(0...1) < 0.5 ? .sdk : .android,
                targetBounds: mode.map { try TargetBounds(bounds, mode: $0) })
            let view = try mapView(flat ? CameraRules() : rules, width: width, height: height, padding: padding)
            let asked = try camera([
                number(flat ? -60...60 : -100...100), number(-600...600), number(flat ? 3...18 : -5...30),
                number(-720...720),
                flat ? 0 : number(-20...100),
            ])
            let position = view.normalized(asked).position
            return try Sample(view: view, asked: asked, position: position, projection: view.projection(of: position))
        }
    }

    @Test func normalizingTwiceChangesNothing() throws {
        for sample in try samples(3000, seed: 1) {
            #expect(sample.view.normalized(sample.position) == ResolvedCamera(position: sample.position, clamped: []))
            let resolved = sample.view.normalized(sample.asked)
            #expect(resolved.clamped == resolved.position.differences(from: sample.asked))
            let held = sample.view.normalized(sample.asked, afterGesture: true).position
            #expect(sample.view.normalized(held, afterGesture: true).clamped.isEmpty)
        }
    }

    /// Clamping the properties one by one gives the same result as clamping them together. The order does not matter,
    /// except that the zoom comes before the viewing angle. The zoom sets the limit of the angle.
    @Test func clampsPropertiesInAnyOrder() throws {
        for sample in try samples(1000, seed: 2) {
            let updates: [CameraUpdate] = [
                .setTarget(latitude: sample.asked.latitude, longitude: sample.asked.longitude),
                .zoom(to: sample.asked.zoom),
                .toBearing(sample.asked.bearing),
            ]
            let start = try camera([0, 0, 0])
            for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [2, 0, 1]] {
                let view = MapView(
                    rules: CameraRules(zoomRange: sample.view.rules.zoomRange), viewport: sample.view.viewport)
                let end = try view.apply(
                    order.map { updates[$0] } + [.toViewingAngle(sample.asked.viewingAngle)], to: start)
                #expect(end.position == view.normalized(sample.asked).position)
            }
        }
    }

    /// A Double distinguishes places that are 1e-16 of the world apart. At zoom z this distance is 2.6e-14 · 2^z
    /// points, and perspective may enlarge it. The tolerance is a millionth of a point, or a few such roundings at high
    /// zooms.
    @Test func convertsPointsToPlacesAndBack() throws {
        var generator = SeededGenerator(seed: 3)
        var judged = 0
        for sample in try samples(3000, seed: 3) {
            let viewport = sample.projection.viewport
            let point = ScreenPoint(
                x: .random(in: 0...viewport.width, using: &generator),
                y: .random(in: 0...viewport.height, using: &generator))
            guard let ground = try? sample.projection.coordinate(at: point), !ground.isOutside,
                let offset = sample.projection.offset(at: point), offset.x.magnitude < 0.49, offset.y.magnitude < 1
            else { continue }
            // Ground beyond a hundred view heights is near the horizon. The precision of Double is too low there.
            let depth = sample.projection.depth(down: sample.projection.ground(atOffset: offset).down)
            guard depth < 100 * sample.projection.distance else { continue }
            judged += 1
            let back = try #require(sample.projection.point(for: ground.coordinate))
            let stretch = max(1, sample.projection.distance / depth)
            let tolerance = max(1e-6, sample.projection.worldSize * 1e-15 * stretch)
            #expect(hypot(back.x - point.x, back.y - point.y) < tolerance)
        }
        #expect(judged > 2000)
    }

    @Test func convertsPlacesToPointsAndBack() throws {
        var generator = SeededGenerator(seed: 4)
        var judged = 0
        for sample in try samples(3000, seed: 4) {
            let coordinate = try place(
                (sample.position.latitude + .random(in: -1...1, using: &generator)).clamped(to: -85...85),
                sample.position.longitude + .random(in: -1...1, using: &generator))
            guard let point = sample.projection.point(for: coordinate) else { continue }
            judged += 1
            // Every place that has a point comes back. Places without a point are skipped above.
            let ground = try sample.projection.coordinate(at: point)
            #expect(agree(ground.coordinate, coordinate, within: 1e-7))
        }
        #expect(judged > 2000)
    }

    /// The target is in the middle of the area that the padding leaves. Turning the camera turns the screen around this
    /// point.
    @Test func turnsTheScreenWithTheCamera() throws {
        for sample in try samples(500, seed: 5, flat: true) {
            let middle = sample.projection.center
            let target = try #require(sample.projection.point(for: sample.position.target))
            #expect(hypot(target.x - middle.x, target.y - middle.y) < 1e-6)
            let turned = try sample.view.projection(
                of: sample.view.apply(.toBearing(sample.position.bearing + 90), to: sample.position).position)
            let start = try #require(sample.projection.worldPoint(at: ScreenPoint(x: middle.x + 120, y: middle.y + 50)))
            let end = try #require(turned.worldPoint(at: ScreenPoint(x: middle.x + 50, y: middle.y - 120)))
            #expect(hypot(start.x - end.x, start.y - end.y) * sample.projection.worldSize < 1e-5)
        }
    }

    @Test func undoesUpdatesByOppositeUpdates() throws {
        var generator = SeededGenerator(seed: 6)
        var judged = 0
        for sample in try samples(1000, seed: 6, flat: true) {
            let start = sample.position
            let (x, y) = (
                Double.random(in: -900...900, using: &generator), Double.random(in: -900...900, using: &generator)
            )
            let delta = Double.random(in: -3...3, using: &generator)
            let point = ScreenPoint(x: 100 + x / 9, y: 100 + y / 9)
            let pairs: [[CameraUpdate]] = [
                [.zoomIn, .zoomOut], [.zoom(by: delta), .zoom(by: -delta)],
                [.scrollBy(x: x, y: y), .scrollBy(x: -x, y: -y)],
                [.zoom(by: delta, at: point), .zoom(by: -delta, at: point)],
                [.toBearing(start.bearing + x), .toBearing(start.bearing)],
                [.scrollBy(x: x, y: 0), .scrollBy(x: 0, y: y), .scrollBy(x: -x, y: -y)],
            ]
            for updates in pairs {
                let end = try sample.view.apply(updates, to: start)
                // Skips updates that met a limit on the way, because clamping cannot be undone.
                if end.clamped.contains(where: { $0 != .bearing }) { continue }
                judged += 1
                #expect(agree(end.position.target, start.target, within: 1e-9))
                #expect(abs(end.position.zoom - start.zoom) < 1e-9)
                #expect(abs((end.position.bearing - start.bearing).remainder(dividingBy: 360)) < 1e-9)
            }
        }
        #expect(judged > 5000)
    }

    /// The place under the zoom point does not move, whether the camera is tilted or not.
    @Test func keepsThePlaceUnderTheZoomPoint() throws {
        var generator = SeededGenerator(seed: 7)
        var judged = 0
        for sample in try samples(2000, seed: 7) {
            let viewport = sample.projection.viewport
            let point = ScreenPoint(
                x: .random(in: 0...viewport.width, using: &generator),
                y: .random(in: 0...viewport.height, using: &generator))
            let update = CameraUpdate.zoom(by: .random(in: -2...2, using: &generator), at: point)
            guard let end = try? sample.view.apply(update, to: sample.position),
                !end.clamped.contains(.latitude), !end.clamped.contains(.longitude),
                let before = sample.projection.worldPoint(at: point),
                let after = try sample.view.projection(of: end.position).worldPoint(at: point)
            else { continue }
            judged += 1
            let scale = max(1, hypot(before.x - sample.projection.target.x, before.y - sample.projection.target.y))
            #expect(abs((before.x - after.x).wrappedToHalfWorld) < 1e-12 * scale)
            #expect(abs(before.y - after.y) < 1e-12 * scale)
        }
        #expect(judged > 800)
    }

    /// Fitted bounds lie within the insets and touch them on at least two opposite sides.
    @Test func fitsBoundsUpToTheirInsets() throws {
        var generator = SeededGenerator(seed: 8)
        var judged = 0
        for sample in try samples(1000, seed: 8, flat: true) {
            func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &generator) }
            let (south, west) = (number(-80...70), number(-180...180))
            let (height, width) = (number(0.001...10), number(0.001...300))
            let bounds = try CoordinateBounds.checked(
                southWest: place(south, west), northEast: place(south + height, west + width))
            let insets = EdgeInsets(
                top: number(-20...20), left: number(-20...20), bottom: number(-20...20), right: number(-20...20))
            let resolved = try sample.view.camera(for: bounds, insets: insets)
            let projection = try sample.view.projection(of: resolved.position)
            let whole = insets + projection.viewport.padding
            let inner = (
                width: projection.viewport.width - whole.left - whole.right,
                height: projection.viewport.height - whole.top - whole.bottom
            )
            // The bounds need not touch the insets if the zoom met a limit of the map, or the target a limit of the
            // latitude.
            guard inner.width > 0, inner.height > 0, resolved.clamped.isEmpty,
                resolved.position.zoom > sample.view.minZoom, resolved.position.zoom < sample.view.maxZoom
            else { continue }
            judged += 1
            let middle = try #require(projection.point(for: place(south, west + width / 2)))
            let north = try #require(projection.point(for: place(south + height, west + width / 2)))
            let half = width / 360 / 2 * projection.worldSize
            let gaps = [
                middle.x - half - whole.left, projection.viewport.width - whole.right - middle.x - half,
                north.y - whole.top, projection.viewport.height - whole.bottom - middle.y,
            ]
            #expect(gaps.allSatisfy { $0 > -1e-5 })
            #expect(abs(gaps[0] - gaps[1]) < 1e-5 && abs(gaps[2] - gaps[3]) < 1e-5)
            #expect(min(abs(gaps[0]), abs(gaps[2])) < 1e-5)
        }
        #expect(judged > 800)
    }
}
