import Configuration
import MapGeometry
import MapRenderer
import Raster
import Runtime
import TileCache

/// Draws static images: fetches their tiles by way of the cache, warps them, and encodes the image.
///
/// Thread rule: any thread.
package struct StaticRenderer: Sendable {
    package let loader: TileLoader
    package let work: WorkQueue
    let images: ConcurrencyLimit
    /// In front of the other for animations, so that one of its slots stays free for single images.
    let animations: ConcurrencyLimit
    /// Where each image reserves what it takes before anything of it is fetched.
    let memory: MemoryBudget
    /// Called with the map of an image that is not drawn, or not whole, for want of room or time. The queue reports for
    /// itself.
    let report: WorkQueue.Report

    package struct RenderedImage: Sendable {
        package let image: EncodedImage
        package let life: SharedLife
        /// Tiles that could not be had.
        package let missing: Int
        package let tileZoom: Int?
    }

    package enum RenderingError: Error {
        /// Too many images are being drawn, or too large ones; seconds after which to ask again. `hasBegun`: some frames were drawn.
        case overloaded(retryAfter: Int, hasBegun: Bool = false)
        /// It takes more memory than images may have together.
        case tooLarge
        case failed
        /// It took too long.
        case late
        /// More is to be drawn over the tiles than an image may have.
        case tooMuch(CameraRequestError)
        /// Nobody waits for it any more: the task was cancelled.
        case abandoned

        /// Nothing was begun.
        package var hasDrawnNothing: Bool {
            switch self {
            case .overloaded(_, let hasBegun): !hasBegun
            case .tooLarge: true
            case .failed, .late, .tooMuch, .abandoned: false
            }
        }

        /// It took as long as others do.
        fileprivate var hasTakenItsTime: Bool {
            switch self {
            case .failed, .late: true
            case .overloaded, .tooLarge, .tooMuch, .abandoned: false
            }
        }

        /// The same, of an animation that some frames were drawn of.
        var afterFrames: RenderingError {
            switch self {
            case .overloaded(let seconds, _): .overloaded(retryAfter: seconds, hasBegun: true)
            case .tooLarge: .failed
            case .failed, .late, .tooMuch, .abandoned: self
            }
        }
    }

    /// What a request for an image comes to.
    package enum Outcome: Sendable {
        case drawn(RenderedImage)
        /// Another request drew it while this one waited for its turn.
        case found(StaticImages.Image)
    }

    /// Seconds for the tiles of an image (docs/spec/threats.md 2).
    static let deadline = 15.0
    /// Seconds that an image waits for its turn and for memory, together; and an animation for its turn.
    static let longestWait = 5.0
    static let longestAnimationWait = 15.0

    /// Draws `job`, in its turn. Calls `progress` with how many of how many tiles are there. Where the task is cancelled, no
    /// more than a few rows are drawn after that.
    package func image(
        _ job: StaticJob, progress: @escaping @Sendable (Int, Int) -> Void
    ) async throws(RenderingError) -> RenderedImage {
        switch try await image(job, unlessFound: { nil }, progress: progress) {
        case .drawn(let image): return image
        // Nothing is looked for.
        case .found: throw .failed
        }
    }

    /// The image that `find` returns when it is this job's turn; draws `job` where it returns nil. As `image(_:progress:)`.
    package func image(
        _ job: StaticJob, unlessFound find: @Sendable () -> StaticImages.Image?,
        progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
    ) async throws(RenderingError) -> Outcome {
        try await Cancellation.following { cancellation async throws(RenderingError) in
            try refuse(images, job, Self.longestWait)
            try await judge([job], cancellation)
            let end = MonotonicTime.now().adding(seconds: Self.longestWait)
            let place = try await enter(images, job, Self.longestWait, cancellation)
            if let image = find() {
                images.leave(place, isUsed: false)
                return .found(image)
            }
            return try await inside(place) { () async throws(RenderingError) in
                .drawn(try await encoded(job, until: end, cancellation, progress))
            }
        }
    }

    /// Does `draw` at `place`, and leaves that. An image that was refused, or that nobody waits for, says nothing about how long
    /// others take.
    private func inside<Value>(
        _ place: ConcurrencyLimit.Place, _ draw: () async throws(RenderingError) -> Value
    ) async throws(RenderingError) -> Value {
        do throws(RenderingError) {
            let value = try await draw()
            images.leave(place)
            return value
        } catch {
            images.leave(place, isUsed: error.hasTakenItsTime)
            throw error
        }
    }

    /// The caller has entered `images`, and waits for memory until `end`.
    private func encoded(
        _ job: StaticJob, until end: MonotonicTime, _ cancellation: Cancellation,
        _ progress: @escaping @Sendable (Int, Int) -> Void
    ) async throws(RenderingError) -> RenderedImage {
        let encoder = ImageEncoder(job.layer.settings)
        let planned = try await plan(job, cancellation)
        let reservation = try await reserve(planned.imageCost, job, until: end, cancellation)
        defer { reservation.release() }
        let tiles = DecodedTiles(limit: planned.tileLimit, encodedLimit: planned.encodedLimit)
        let drawing = try await drawing(planned, tiles, deadline: Self.deadline, cancellation, progress: progress) {
            try encoder.encode($0, as: job.form) { !cancellation.isCancelled }
        }
        return RenderedImage(
            image: drawing.value, life: drawing.collected.life, missing: drawing.collected.missing,
            tileZoom: drawing.tileZoom)
    }

    /// Throws where the overlays of `jobs`, the frames of one image, are more than may be drawn.
    func judge(_ jobs: [StaticJob], _ cancellation: Cancellation) async throws(RenderingError) {
        guard jobs.contains(where: { !$0.options.overlays.isEmpty }) else { return }
        let isKept = try await run(jobs[0]) { OverlayBudget.isKept(by: jobs) { !cancellation.isCancelled } }
        guard isKept else { throw .tooMuch(OverlayBudget.fault) }
    }

    /// Throws at once where `job` would not be let into `limit` now: before anything is computed for it.
    func refuse(_ limit: ConcurrencyLimit, _ job: StaticJob, _ maxWait: Double) throws(RenderingError) {
        guard let seconds = limit.refusal(maxWait: maxWait) else { return }
        report(job.layer.id, .full)
        throw .overloaded(retryAfter: seconds)
    }

    /// Waits for a place in `limit` for `job`, at most `maxWait` seconds.
    func enter(
        _ limit: ConcurrencyLimit, _ job: StaticJob, _ maxWait: Double, isLong: Bool = false,
        _ cancellation: Cancellation
    ) async throws(RenderingError) -> ConcurrencyLimit.Place {
        switch await limit.enter(maxWait: maxWait, isLong: isLong) {
        case .inside(let place): return place
        case .refused(let seconds):
            if cancellation.isCancelled { throw .abandoned }
            report(job.layer.id, .full)
            throw .overloaded(retryAfter: seconds)
        }
    }

    /// Runs `work` on the queue, where the map of `job` takes turns with others.
    func run<Value: Sendable>(
        _ job: StaticJob, _ work: @escaping @Sendable () -> Value
    ) async throws(RenderingError) -> Value {
        do throws(WorkQueue.NotDoneError) {
            return try await self.work.run(for: job.layer.id, work)
        } catch {
            switch error {
            case .full, .late, .memory: throw .overloaded(retryAfter: 2)
            case .abandoned: throw .abandoned
            }
        }
    }
}

extension ServedLayer {
    /// The scale that the layer's tiles are asked for where `scale` is drawn.
    func tileScale(for scale: Int) -> Int { sourceScales.contains(scale) ? scale : 1 }

    /// What an image of this map, or of this layer alone, consists of, the lowest first.
    var drawnLayers: [DrawnLayer] {
        guard !settings.source.isMap else { return mapLayers }
        return [DrawnLayer(self, opacity: settings.opacity, blend: .normal)]
    }

    /// What shows where there are no tiles.
    package var background: RGBA {
        if case .map(let map) = settings.source { map.background } else { MapImage.background }
    }
}
