import Testing

@testable import MapGeometry

@Suite struct CameraAnimationTests {
    /// T-ANIM-1. A half turn goes counterclockwise.
    @Test(arguments: [
        (350.0, 10.0, 0.5, 0.0), (10, 350, 0.25, 5), (0, 180, 0.5, 270), (180, 0, 0.25, 135), (90, 270, 0.5, 0),
        (20, 80, 0.5, 50), (80, 20, 0.5, 50),
    ])
    func turnsByTheSmallerAngle(from: Double, to: Double, time: Double, bearing: Double) throws {
        let animation = try CameraAnimation(from: camera([0, 0, 4, from]), to: camera([0, 0, 4, to]), in: MapView())
        #expect(abs(animation.camera(at: time).bearing - bearing) < 1e-9)
    }

    /// T-ANIM-2.
    @Test(arguments: [
        (0.25, [-12.726872, 172.6285]), (0.5, [10.310467, -165.951]), (0.75, [31.795887, -144.5305]),
        (0.0, [-33.868, 151.208]), (1.0, [49.26, -123.11]),
    ])
    func fliesTheShortWay(time: Double, expected: [Double]) throws {
        let (start, end) = try (camera([-33.868, 151.208, 6]), camera([49.26, -123.11, 6]))
        let animation = try CameraAnimation(from: start, to: end, in: MapView())
        #expect(try agree(animation.camera(at: time).target, place(expected)))
    }

    @Test func changesZoomAndAngleEvenly() throws {
        let (start, end) = try (camera([0, 0, 16, 0, 10]), camera([0, 0, 20, 0, 50]))
        let animation = try CameraAnimation(from: start, to: end, in: MapView())
        #expect(try animation.camera(at: 0.25) == camera([0, 0, 17, 0, 20]))
    }

    /// The default is 30 frames per second for one second. The first and the last frame are exactly the clamped
    /// cameras.
    @Test(arguments: [
        (1.0, 30.0, 31), (0.5, 25, 14), (0, 30, 2), (0.01, 30, 2), (60, 120, 7201), (2, 0.25, 2), (1, 1e-300, 2),
    ])
    func countsFramesForItsDuration(duration: Double, fps: Double, count: Int) throws {
        let (start, end) = try (camera([-33.8683, 151.2086, 16.3, 123.4, 44]), camera([99, 481, 30, -90, 90]))
        let animation = try CameraAnimation(from: start, to: end, duration: duration, fps: fps, in: MapView())
        let frames = animation.frames
        #expect(frames.count == count)
        #expect(frames.first == start)
        #expect(try frames.last == camera([85, 121, 21, 270, 65]))
    }

    @Test func lastsASecondByDefault() throws {
        let animation = try CameraAnimation(from: camera([0, 0, 1]), to: camera([0, 0, 2]), in: MapView())
        #expect(animation.lastFrame == 30 && animation.curve == .linear)
    }

    /// Each frame stays within the map's limits. For example, a low zoom on the way limits the viewing angle.
    @Test func normalizesEveryFrame() throws {
        let bounds = try westernCanada()
        let view = try mapView(CameraRules(targetBounds: TargetBounds(bounds, mode: .strict)))
        let (start, end) = try (camera([50, -120, 18, 0, 65]), camera([55, -100, 8, 350, 0]))
        for curve in AnimationCurve.allCases {
            let animation = try CameraAnimation(from: start, to: end, curve: curve, in: view)
            for frame in animation.frames {
                #expect(view.normalized(frame).clamped.isEmpty)
                #expect(bounds.contains(frame.target))
            }
        }
    }

    @Test(arguments: [
        (-1.0, 30.0, CameraParameter.duration), (60.5, 30, .duration), (.nan, 30, .duration),
        (.infinity, 30, .duration),
        (1, 0, .fps), (1, -30, .fps), (1, 121, .fps), (1, .nan, .fps), (1e308, 1e308, .duration),
    ])
    func rejectsEndlessAnimations(duration: Double, fps: Double, parameter: CameraParameter) throws {
        let start = try camera([0, 0, 1])
        #expect {
            _ = try CameraAnimation(from: start, to: start, duration: duration, fps: fps, in: MapView())
        } throws: {
            ($0 as? CameraError)?.parameter == parameter
        }
    }

    /// The curves ease-in, ease-out and ease-in-out of CSS. The expected values come from numpy's roots of the cubic in
    /// x.
    @Test(arguments: [
        (AnimationCurve.linear, 0.25, 0.25), (.easeIn, 0.25, 0.0934646507), (.easeIn, 0.5, 0.3153568126),
        (.easeOut, 0.25, 0.3781381308),
        (.easeOut, 0.5, 0.6846431874), (.easeInOut, 0.25, 0.1291619310), (.easeInOut, 0.5, 0.5),
    ])
    func easesByBezierCurves(curve: AnimationCurve, time: Double, progress: Double) {
        #expect(abs(curve.progress(at: time) - progress) < 1e-9)
    }

    @Test(arguments: AnimationCurve.allCases)
    func easesFromStartToEnd(curve: AnimationCurve) {
        #expect(curve.progress(at: 0) == 0 && curve.progress(at: 1) == 1)
        #expect(curve.progress(at: -5) == 0 && curve.progress(at: 1e308) == 1 && curve.progress(at: .nan) == 0)
        let steps = (0...100).map { curve.progress(at: Double($0) / 100) }
        #expect(zip(steps, steps.dropFirst()).allSatisfy { $0 < $1 })
    }
}
