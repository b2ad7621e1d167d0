import Bytes
import MapGeometry
import MapRenderer
import Raster

/// An image of a map that a program wants: what a URL of a static image says, as values, and a flight where it shall move.
public struct MapPicture: Sendable {
    /// What is seen.
    public enum Subject: Hashable, Sendable {
        /// What a camera sees, as the map clamps it.
        case camera(CameraPosition)
        /// The box in the middle, as large as fits, north up and straight down.
        case bounds(CoordinateBounds)
    }

    /// What is seen; of a flight, where it begins.
    public var subject: Subject
    /// How large the image is.
    public var size: ImageSize
    /// Covered points at the edges. Nil: the map's own, where they leave something of the view.
    public var padding: EdgeInsets?
    /// Where there are no tiles. Nil: the map's own.
    public var background: RGBA?
    /// Lines and areas on the ground, in the order in which they are drawn.
    public var paths: [GroundPath] = []
    /// Markers, which stand above the paths.
    public var markers: [Pin] = []
    /// Whether the layers' attributions are drawn.
    public var showsAttribution = true
    /// Whether an image may lack tiles that cannot be had. If not, none is drawn then.
    public var allowsPartial = true
    /// Nil: the image stands still.
    public var flight: Flight?

    /// Where the camera goes. There are at most 240 frames and 67,108,864 pixels in all.
    public struct Flight: Sendable {
        /// Where it ends.
        public var end: Subject
        /// Seconds, in 0…60.
        public var duration: Double
        /// Frames a second, above 0 and at most 120.
        public var fps: Double
        /// How the way flown follows from the time.
        public var curve: AnimationCurve

        /// A flight of one second with 30 frames, unless told otherwise.
        public init(to end: Subject, duration: Double = 1, fps: Double = 30, curve: AnimationCurve = .linear) {
            self.end = end
            self.duration = duration
            self.fps = fps
            self.curve = curve
        }
    }

    /// An image of `subject`; whether it can be drawn, `TileServer.render` says.
    public init(of subject: Subject, size: ImageSize) {
        self.subject = subject
        self.size = size
    }
}

/// What was drawn.
public struct RenderedMapPicture: Sendable {
    /// PNG, animated where there was a flight.
    public let png: SharedBytes
    /// Tiles that could not be had, and are lacking in the image.
    public let missing: Int
}

extension MapPicture {
    func job(_ layer: ServedLayer) throws(CameraRequestError) -> StaticJob {
        try StaticJob(layer, subject, size, StaticOptions(self))
    }

    func frames(of flight: Flight, from job: StaticJob) throws(CameraRequestError) -> StaticFlight {
        let animation: CameraAnimation
        do throws(CameraError) {
            animation = try CameraAnimation(
                from: job.camera.position, to: flight.end.camera(in: job.view).position, duration: flight.duration,
                fps: flight.fps, curve: flight.curve, in: job.view)
        } catch {
            throw CameraRequestError(error)
        }
        return try StaticFlight(job.layer, animation, scale: job.scale, job.options)
    }
}

extension MapPicture.Subject {
    /// The camera in effect. Throws where bounds are empty.
    func camera(in view: MapView) throws(CameraError) -> ResolvedCamera {
        switch self {
        case .camera(let position): view.normalized(position)
        case .bounds(let bounds): try view.camera(for: bounds)
        }
    }
}
