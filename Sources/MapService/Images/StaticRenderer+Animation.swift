import Bytes
import Dispatch
import Raster

extension StaticRenderer {
    package struct Animation: Sendable {
        package let png: SharedBytes
        package let frames: Int
        /// Tiles that could not be had, counted for each frame.
        package let missing: Int
    }

    /// Seconds for all of an animation.
    package static let animationDeadline = 60.0

    /// Draws one frame after the other, in one slot of the images' limit. Calls `progress` with how many of how many
    /// frames are there.
    package func animation(
        _ flight: StaticFlight, progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
    ) async throws(Failure) -> Animation {
        guard let first = flight.jobs.first else { throw .failed }
        guard await animations.enter(maxWait: Self.deadline) else { throw .overloaded }
        defer { animations.leave() }
        guard await images.enter(maxWait: Self.deadline) else { throw .overloaded }
        defer { images.leave() }
        let begin = DispatchTime.now().uptimeNanoseconds
        var encoder = first.encoder(flight.delay)
        var missing = 0
        for job in flight.jobs {
            let left = Self.animationDeadline - Double(DispatchTime.now().uptimeNanoseconds - begin) / 1e9
            guard left > 0 else { throw .late }
            let before = encoder
            let drawing = try await drawing(job, deadline: min(left, Self.deadline), progress: { _, _ in }) { pixmap in
                var encoder = before
                try encoder.add(pixmap)
                return encoder
            }
            encoder = drawing.value
            missing += drawing.collected.missing
            progress(encoder.count, flight.jobs.count)
        }
        guard let png = encoder.finish() else { throw .failed }
        return Animation(png: png, frames: flight.jobs.count, missing: missing)
    }
}

extension StaticJob {
    /// For the frames of an animation that begins with this image: not so thorough that it takes for ever, and with all
    /// colours, since frames with different ones of few would flicker.
    fileprivate func encoder(_ delay: APNGEncoder.Delay) -> APNGEncoder {
        let (width, height) = (view.viewport?.width ?? 1, view.viewport?.height ?? 1)
        let effort = layer.settings.png.effort
        return APNGEncoder(
            width: Int(width) * scale, height: Int(height) * scale, delay: delay, isOpaque: background.alpha == 255,
            effort: effort == .small ? .balanced : effort)
    }
}
