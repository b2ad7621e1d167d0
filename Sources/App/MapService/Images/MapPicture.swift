import Bytes
import MapGeometry
import MapRenderer
import Raster

/// Describes an image of a map: the view, the size and the options, as in the URL of a static image. A picture with a
/// flight describes an animation.
public struct MapPicture: Sendable {
    /// The part of the map that the image shows.
    public enum Subject: Hashable, Sendable {
        /// The view with which the map begins: its own camera. A map or layer without a camera begins with the box
        /// that has tiles.
        case start
        /// The view of a camera, within the limits of the map.
        case camera(CameraPosition)
        /// The box in the middle, as large as fits, with north up and a camera that looks straight down.
        case bounds(CoordinateBounds)
    }

    /// One of several layers or maps that an image shows together.
    public struct Layer: Hashable, Sendable {
        /// The id of a layer or map.
        public var id: String
        /// The factor by which the image multiplies the layer's alpha, 0…1.
        public var opacity: Double

        /// Names the layer or map `id`, which is opaque by default.
        public init(_ id: String, opacity: Double = 1) {
            self.id = id
            self.opacity = opacity
        }
    }

    /// The view of the image. For a flight, the view of the first frame.
    public var subject: Subject
    /// The size of the image.
    public var size: ImageSize
    /// Points at the edges that are covered by other things. Nil: the map's own padding, if it leaves room.
    public var padding: EdgeInsets?
    /// The color where the map has no tiles. Nil: the map's own background.
    public var background: RGBA?
    /// The layers and maps that the image shows, from the lowest up, at most 16. Empty: the layer or map that is drawn.
    /// That one still gives the limits of the camera, the padding and the background.
    public var layers: [Layer] = []
    /// The format of the image. An animation is always an animated PNG.
    public var form = ImageForm.png
    /// Lines and areas on the ground, in drawing order.
    public var paths: [GroundPath] = []
    /// Markers, drawn above the paths.
    public var markers: [Pin] = []
    /// True if the layers' attributions are drawn.
    public var showsAttribution = true
    /// True if the image may lack tiles that are unavailable. False: the result is an error if a tile is unavailable.
    public var allowsPartial = true
    /// The movement of the camera. Nil: the image is not animated.
    public var flight: Flight?

    /// The movement of the camera in an animation. An animation may have at most 240 frames, and at most 67,108,864
    /// pixels in all frames together.
    public struct Flight: Sendable {
        /// The view of the last frame.
        public var end: Subject
        /// Duration in seconds, 0…60.
        public var duration: Double
        /// Frames per second, above 0 and at most 120.
        public var fps: Double
        /// The curve from time to distance.
        public var curve: AnimationCurve

        /// Makes a flight. The default is one second with 30 frames per second.
        public init(to end: Subject, duration: Double = 1, fps: Double = 30, curve: AnimationCurve = .linear) {
            self.end = end
            self.duration = duration
            self.fps = fps
            self.curve = curve
        }
    }

    /// Describes an image of `subject`. The description is not checked before `TileServer.render`.
    public init(of subject: Subject, size: ImageSize) {
        self.subject = subject
        self.size = size
    }
}

/// A drawn image.
public struct RenderedMapPicture: Sendable {
    /// The encoded image.
    public let bytes: SharedBytes
    /// The format of `bytes`.
    public let format: ImageFormat
    /// Number of unavailable tiles that are missing from the image. For a flight, a tile counts in each frame.
    public let missing: Int
    /// The camera of the image, and the values that the limits of the map have changed. For a flight, the camera of the
    /// first frame.
    public let camera: ResolvedCamera
}

extension MapPicture {
    func job(
        _ layer: ServedLayer, find: (String) -> ServedLayer?
    ) throws(CameraRequestError) -> StaticJob {
        try StaticJob(
            layer, subject, size, options: StaticOptions(self), stack: try ImageStack(layers, find: find), as: form)
    }

    func frames(of flight: Flight, from job: StaticJob) throws(CameraRequestError) -> StaticFlight {
        let animation: CameraAnimation
        do throws(CameraError) {
            animation = try CameraAnimation(
                from: job.camera.position, to: flight.end.camera(in: job.view, of: job.layer).position,
                duration: flight.duration, fps: flight.fps, curve: flight.curve, in: job.view)
        } catch {
            throw CameraRequestError(error)
        }
        return try StaticFlight(job.layer, animation, scale: job.scale, job.options, stack: job.stack)
    }
}

extension MapPicture.Subject {
    /// Returns the camera within the limits of `view`, which shows `layer`. Throws if the bounds are empty.
    func camera(in view: MapView, of layer: ServedLayer) throws(CameraError) -> ResolvedCamera {
        switch self {
        case .start:
            if let camera = layer.cameraRules.camera { return view.normalized(camera) }
            return try view.camera(for: CoordinateBounds(layer.bounds ?? .world))
        case .camera(let position): return view.normalized(position)
        case .bounds(let bounds): return try view.camera(for: bounds)
        }
    }
}
