import Bytes
import Dispatch
import Raster
import Runtime

extension StaticRenderer {
    package struct Animation: Sendable {
        package let png: SharedBytes
        package let frames: Int
        /// Number of unavailable tiles, counted for each frame.
        package let missing: Int
    }

    /// Seconds for drawing a whole animation, without the waits for its turn and for memory. Afterwards no further
    /// frame is begun.
    package static let animationDeadline = 60.0

    /// Draws the frames one after the other. Decodes each tile only once for all frames, if there is enough memory. The
    /// animation uses one of the places for images. Calls `progress` with the number of drawn frames and of all frames.
    /// If the task is cancelled, drawing stops after a few more rows.
    package func animation(
        _ flight: StaticFlight, progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
    ) async throws(RenderingError) -> Animation {
        try await Cancellation.following { cancellation async throws(RenderingError) in
            try await animation(flight, progress, cancellation)
        }
    }

    private func animation(
        _ flight: StaticFlight, _ progress: @escaping @Sendable (Int, Int) -> Void, _ cancellation: Cancellation
    ) async throws(RenderingError) -> Animation {
        guard let first = flight.jobs.first else { throw .failed }
        try refuse(animations, first, Self.longestAnimationWait)
        try await judge(flight.jobs, cancellation)
        let turn = try await enter(animations, first, maxWait: Self.longestAnimationWait, cancellation: cancellation)
        var hasPlace = false
        defer { animations.leave(turn, isUsed: hasPlace) }
        let place = try await enter(images, first, maxWait: Self.longestWait, isLong: true, cancellation: cancellation)
        defer { images.leave(place) }
        hasPlace = true
        var planned = try await plan(first, isFrame: true, cancellation)
        let (most, cost) = (planned.tileLimit, planned.frameCost)
        let reservation = try await reserve(
            cost, first, until: .now().adding(seconds: Self.longestWait), cancellation)
        defer { reservation.release() }
        let decoded = DecodedTiles(limit: most, keepsForFrames: true)
        let begin = DispatchTime.now().uptimeNanoseconds
        var encoder = first.encoder(flight.delay)
        var missing = 0
        for (index, job) in flight.jobs.enumerated() {
            do throws(RenderingError) {
                let left = Self.animationDeadline - Double(DispatchTime.now().uptimeNanoseconds - begin) / 1e9
                guard left > 0 else {
                    report(job.layer.id, .late)
                    throw .late
                }
                if index > 0 { planned = try await plan(job, isFrame: true, cancellation) }
                // Twice the size of the encoded frames, because they are copied into one file at the end.
                guard reservation.resize(to: max(planned.frameCost, cost) + 2 * encoder.size) else {
                    report(job.layer.id, .full)
                    throw .overloaded(retryAfter: 2)
                }
                let before = encoder
                decoded.beginFrame()
                let drawing = try await drawing(
                    planned, decoded, deadline: min(left, Self.deadline), cancellation: cancellation,
                    progress: { _, _ in }
                ) { pixmap in
                    var encoder = before
                    try encoder.add(pixmap) { !cancellation.isCancelled }
                    return encoder
                }
                encoder = drawing.value
                missing += drawing.collected.missing
                progress(encoder.count, flight.jobs.count)
            } catch {
                throw index > 0 ? error.afterFrames : error
            }
        }
        guard let png = encoder.finish() else { throw .failed }
        return Animation(png: png, frames: flight.jobs.count, missing: missing)
    }
}

extension StaticJob {
    /// Returns an encoder for an animation that begins with this image. The encoder keeps all colors, because frames
    /// with different reduced palettes would flicker.
    fileprivate func encoder(_ delay: APNGEncoder.Delay) -> APNGEncoder {
        let (width, height) = (view.viewport?.width ?? 1, view.viewport?.height ?? 1)
        return APNGEncoder(
            width: Int(width) * scale, height: Int(height) * scale, delay: delay, isOpaque: background.alpha == 255,
            effort: layer.settings.png.effort)
    }
}
