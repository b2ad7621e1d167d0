import MapGeometry
import Raster

/// The frames of an animation, which are drawn and encoded as one image file.
package struct StaticFlight: Sendable {
    package let jobs: [StaticJob]
    /// Time of each frame.
    let delay: APNGEncoder.Delay
    package let options: StaticOptions
    /// Number of pixels of all frames together.
    package let pixels: Int

    /// Maximum number of frames, and maximum number of pixels of all frames together. Each frame also has the limits of
    /// a static image (docs/spec/threats.md 2).
    static let mostFrames = 240
    package static let mostPixels = 67_108_864

    /// Makes a job for each frame of `flight`. Throws if the animation has too many frames or pixels, if a frame is too
    /// large, or if the view has no size in whole points.
    package init(
        _ layer: ServedLayer, _ flight: CameraAnimation, scale: Int, _ options: StaticOptions,
        stack: ImageStack
    ) throws(CameraRequestError) {
        let view = flight.view
        guard let viewport = view.viewport else { throw .missing("view.width") }
        let (width, height) = (try Self.side(viewport.width, "width"), try Self.side(viewport.height, "height"))
        guard let size = ImageSize(fitting: width, height, scale: scale) else {
            throw .malformed("view.width", expected: "at most 4,096 pixels a side and 8,388,608 in total")
        }
        let count = flight.lastFrame + 1
        guard count <= Self.mostFrames else { throw .malformed("duration", expected: "at most 240 frames") }
        guard size.pixels * count <= Self.mostPixels else {
            throw .malformed("duration", expected: "at most 67,108,864 pixels in all frames together")
        }
        jobs = flight.frames.map {
            StaticJob(layer, view.normalized($0), view, scale: scale, options: options, stack: stack)
        }
        pixels = size.pixels * count
        delay = APNGEncoder.Delay(seconds: flight.duration / Double(flight.lastFrame))
        self.options = options
    }

    private static func side(_ points: Double, _ name: String) throws(CameraRequestError) -> Int {
        guard (1...Double(ImageSize.longestSide)).contains(points), points == points.rounded() else {
            throw .malformed("view.\(name)", expected: "a whole number in 1…4,096")
        }
        return Int(points)
    }
}
