/// A flight of the camera from where it is to where it shall be (docs/spec/model.md 6.2).
public struct CameraAnimation: Hashable, Sendable {
    /// The longest flight in seconds.
    public static let maxDuration = 60.0
    /// The most frames a second.
    public static let maxFPS = 120.0

    /// The camera in effect at the first frame.
    public let start: CameraPosition
    /// The camera in effect at the last frame.
    public let end: CameraPosition
    /// Seconds.
    public let duration: Double
    /// Frames a second.
    public let fps: Double
    /// How the way flown follows from the time.
    public let curve: AnimationCurve
    /// What every frame is normalized by.
    public let view: MapView

    /// A flight between two cameras, each as `view` shows it. Throws unless `duration` is in 0…60 seconds and `fps` above 0 and
    /// at most 120.
    public init(
        from start: CameraPosition, to end: CameraPosition, duration: Double = 1, fps: Double = 30,
        curve: AnimationCurve = .linear, in view: MapView
    ) throws(CameraError) {
        self.duration = try duration.within(0...Self.maxDuration, .duration)
        self.fps = try fps.positive(.fps).within(0...Self.maxFPS, .fps)
        self.start = view.normalized(start).position
        self.end = view.normalized(end).position
        self.curve = curve
        self.view = view
    }

    /// The number of the last frame, the first being 0: duration · fps, rounded, and at least 1.
    public var lastFrame: Int { max(1, Int((duration * fps).rounded())) }

    /// The cameras of all frames; the last is `end` exactly.
    public var frames: [CameraPosition] {
        (0...lastFrame).map { camera(at: Double($0) / Double(lastFrame)) }
    }

    /// The camera in effect at `time`, 0 at the start and 1 at the end, clamped to that.
    ///
    /// The target goes straight on the Mercator map, the short way round; the bearing turns by the smaller angle,
    /// counterclockwise if both are equal; zoom and viewing angle change evenly.
    public func camera(at time: Double) -> CameraPosition {
        let progress = curve.progress(at: time)
        if progress <= 0 { return start }
        if progress >= 1 { return end }
        let (first, last) = (MapPoint(start.target), MapPoint(end.target))
        let target = first.interpolated(to: last, progress: progress).coordinate
        let turn = (end.bearing - start.bearing + 540).modulo(360) - 180
        let between = CameraPosition(
            finiteLatitude: target.latitude, longitude: target.longitude,
            zoom: start.zoom + (end.zoom - start.zoom) * progress, bearing: start.bearing + turn * progress,
            viewingAngle: start.viewingAngle + (end.viewingAngle - start.viewingAngle) * progress)
        return view.normalized(between).position
    }
}
