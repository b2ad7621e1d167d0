import Bytes
import MapGeometry
import MapService

/// A picture of a map that a program wants: what a URL of a static image says, and a flight where it shall move.
public struct MapPicture: Sendable {
    /// `lon,lat,zoom[@bearing[,tilt]]`, or `west,south,east,north` in degrees.
    public var subject: String
    /// `{width}x{height}[@{scale}x]` in points, with a scale of 1…4 pixels a point.
    public var size: String
    /// `padding`, `background`, `partial`, `attribution`, `marker` and `path`, each as a query has it.
    public var parameters: [String: [String]]
    /// Nil: the picture stands still.
    public var flight: Flight?

    /// Where the camera goes. There are at most 240 frames and 67,108,864 pixels in all.
    public struct Flight: Sendable {
        /// As `subject`.
        public var end: String
        /// Seconds, in 0…60.
        public var duration: Double
        /// Frames a second, above 0 and at most 120.
        public var fps: Double
        /// How the way flown follows from the time.
        public var curve: AnimationCurve

        /// A flight of one second with 30 frames, unless told otherwise.
        public init(to end: String, duration: Double = 1, fps: Double = 30, curve: AnimationCurve = .linear) {
            self.end = end
            self.duration = duration
            self.fps = fps
            self.curve = curve
        }
    }

    /// A picture of `subject`; whether it can be drawn, `TileServer.render` says.
    public init(
        of subject: String, size: String, parameters: [String: [String]] = [:], flight: Flight? = nil
    ) {
        self.subject = subject
        self.size = size
        self.parameters = parameters
        self.flight = flight
    }
}

/// What was drawn.
public struct RenderedMapPicture: Sendable {
    /// PNG, animated where there was a flight.
    public let png: SharedBytes
    /// Tiles that could not be had, and are lacking in the picture.
    public let missing: Int
}

extension MapPicture {
    func job(_ layer: ServedLayer) throws(CameraFault) -> StaticJob {
        let options = try StaticOptions(QueryParameters(parameters))
        return try StaticJob(layer, try StaticPath(subject: subject, size: size + ".png"), options)
    }

    func frames(of flight: Flight, from job: StaticJob) throws(CameraFault) -> StaticFlight {
        let end: StaticJob
        do throws(CameraFault) {
            end = try StaticJob(
                job.layer, try StaticPath(subject: flight.end, size: size + ".png"), job.options)
        } catch {
            throw CameraFault(
                isUnanswerable: error.isUnanswerable, code: error.code, field: error.field == "camera" ? "to" : error.field,
                title: error.title)
        }
        let animation: CameraAnimation
        do throws(CameraError) {
            animation = try CameraAnimation(
                from: job.camera.position, to: end.camera.position, duration: flight.duration, fps: flight.fps,
                curve: flight.curve, in: job.view)
        } catch {
            throw CameraFault(error)
        }
        return try StaticFlight(job.layer, animation, scale: job.scale, job.options)
    }
}
