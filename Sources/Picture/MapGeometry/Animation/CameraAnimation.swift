/// An animated flight of the camera from one position to another (docs/spec/model.md 6.2).
public struct CameraAnimation: Hashable, Sendable {
    /// The longest flight, in seconds.
    public static let maxDuration = 60.0
    /// The highest frame rate, in frames a second.
    public static let maxFPS = 120.0

    /// The camera in effect at the first frame, after normalization.
    public let start: CameraPosition
    /// The camera in effect at the last frame, after normalization.
    public let end: CameraPosition
    /// The length of the flight in seconds, in 0…60.
    public let duration: Double
    /// Frames a second, above 0 and at most 120.
    public let fps: Double
    /// The easing curve of the flight.
    public let curve: AnimationCurve
    /// The map that normalizes the camera of every frame.
    public let view: MapView

    /// Creates a flight between two cameras. `view` normalizes both cameras. Throws unless `duration` is in 0…60
    /// seconds and `fps` is above 0 and at most 120.
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

    /// The number of the last frame: duration · fps, rounded, and at least 1. The first frame has the number 0.
    public var lastFrame: Int { max(1, Int((duration * fps).rounded())) }

    /// The cameras of all frames. The last camera equals `end` exactly.
    public var frames: [CameraPosition] {
        (0...lastFrame).map { camera(at: Double($0) / Double(lastFrame)) }
    }

    /// Returns the camera at a moment of the flight. `time` is 0 at the start and 1 at the end, and other times are
    /// clamped to 0…1. `curve` maps the time to the progress of the flight, and all values change in proportion to the
    /// progress.
    ///
    /// The target is the place at which the camera looks. It moves in a straight line on the Mercator map, in the
    /// shorter direction around the world. The bearing turns by the smaller angle, or counterclockwise if both angles
    /// are equal. The result is normalized by `view`.
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
