import Configuration
import MapGeometry
import MapRenderer
import Raster
import Runtime
import TileCache

/// Draws static images. The renderer fetches the tiles through the cache, transforms them into the view of the camera,
/// and encodes the image. Thread rule: any thread.
package struct StaticRenderer: Sendable {
    package let loader: TileLoader
    package let work: WorkQueue
    let images: ConcurrencyLimit
    /// An additional limit for animations, before `images`, so that one place of `images` stays free for single images.
    let animations: ConcurrencyLimit
    /// The memory budget. Each image reserves its memory here before its first tile is fetched.
    let memory: MemoryBudget
    /// Called with the map of an image that is missing or incomplete because places, memory or time ran out. The work
    /// queue reports its own refusals.
    let report: WorkQueue.Report

    package struct RenderedImage: Sendable {
        package let image: EncodedImage
        package let life: SharedLife
        /// Number of unavailable tiles.
        package let missing: Int
        package let tileZoom: Int?
    }

    package enum RenderingError: Error {
        /// Too many or too large images are being drawn. `retryAfter` is in seconds. `hasBegun` is true if some frames
        /// were drawn.
        case overloaded(retryAfter: Int, hasBegun: Bool = false)
        /// The image needs more memory than all images together may use.
        case tooLarge
        case failed
        /// An animation took longer than `animationDeadline`.
        case late
        /// The overlays cover more pixels than allowed.
        case tooMuch(CameraRequestError)
        /// The task was cancelled, for example because the client has left or closed its sending side.
        case abandoned

        /// True if the image does not count for the client's limit of pixels: it needs too much memory, or the server
        /// was overloaded before the first frame was complete.
        package var hasDrawnNothing: Bool {
            switch self {
            case .overloaded(_, let hasBegun): !hasBegun
            case .tooLarge: true
            case .failed, .late, .tooMuch, .abandoned: false
            }
        }

        /// True if the image took about as long as a successful image, so that its time can be used for the estimate.
        fileprivate var hasTakenItsTime: Bool {
            switch self {
            case .failed, .late: true
            case .overloaded, .tooLarge, .tooMuch, .abandoned: false
            }
        }

        /// This error for an animation with some frames drawn.
        var afterFrames: RenderingError {
            switch self {
            case .overloaded(let seconds, _): .overloaded(retryAfter: seconds, hasBegun: true)
            case .tooLarge: .failed
            case .failed, .late, .tooMuch, .abandoned: self
            }
        }
    }

    /// The result of a request for an image.
    package enum Outcome: Sendable {
        case drawn(RenderedImage)
        /// Another request drew the image while this request waited for its turn.
        case found(StaticImages.Image)
    }

    /// Maximum seconds for the tiles of an image (docs/spec/threats.md 2).
    static let deadline = 15.0
    /// Maximum seconds that an image waits for its turn and for memory together. An animation waits at most
    /// `longestAnimationWait` for its turn among the animations, and then at most `longestWait` each for its turn among
    /// the images and for memory.
    static let longestWait = 5.0
    static let longestAnimationWait = 15.0

    /// Draws `job` when its turn comes. Calls `progress` with the number of finished tiles and of all tiles. If the
    /// task is cancelled, drawing stops after a few more rows.
    package func image(
        _ job: StaticJob, progress: @escaping @Sendable (Int, Int) -> Void
    ) async throws(RenderingError) -> RenderedImage {
        switch try await image(job, unlessFound: { nil }, progress: progress) {
        case .drawn(let image): return image
        // `unlessFound` finds nothing here, so this case does not happen.
        case .found: throw .failed
        }
    }

    /// Waits until `job` may begin, then calls `find`, which looks for the image in the cache. If `find` returns nil,
    /// draws `job` as `image(_:progress:)` does. Another request may have drawn the same image during the wait.
    package func image(
        _ job: StaticJob, unlessFound find: @Sendable () -> StaticImages.Image?,
        progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
    ) async throws(RenderingError) -> Outcome {
        try await Cancellation.following { cancellation async throws(RenderingError) in
            try refuse(images, job, Self.longestWait)
            try await judge([job], cancellation)
            let end = MonotonicTime.now().adding(seconds: Self.longestWait)
            let place = try await enter(images, job, maxWait: Self.longestWait, cancellation: cancellation)
            if let image = find() {
                images.leave(place, isUsed: false)
                return .found(image)
            }
            return try await inside(place) { () async throws(RenderingError) in
                .drawn(try await encoded(job, until: end, cancellation, progress))
            }
        }
    }

    /// Runs `draw`, and leaves the limit `images` afterwards. The running time is used to estimate the wait of other
    /// images, unless the image was refused or cancelled.
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

    /// Draws and encodes `job`. Waits at most until `end` for memory. The caller has already entered the limit
    /// `images`.
    private func encoded(
        _ job: StaticJob, until end: MonotonicTime, _ cancellation: Cancellation,
        _ progress: @escaping @Sendable (Int, Int) -> Void
    ) async throws(RenderingError) -> RenderedImage {
        let encoder = ImageEncoder(job.layer.settings)
        let planned = try await plan(job, cancellation)
        let reservation = try await reserve(planned.imageCost, job, until: end, cancellation)
        defer { reservation.release() }
        let tiles = DecodedTiles(limit: planned.tileLimit, encodedLimit: planned.encodedLimit)
        let drawing = try await drawing(
            planned, tiles, deadline: Self.deadline, cancellation: cancellation, progress: progress
        ) {
            try encoder.encode($0, as: job.form) { !cancellation.isCancelled }
        }
        return RenderedImage(
            image: drawing.value, life: drawing.collected.life, missing: drawing.collected.missing,
            tileZoom: drawing.tileZoom)
    }

    /// Throws if the overlays of `jobs`, the frames of one image, exceed the limit.
    func judge(_ jobs: [StaticJob], _ cancellation: Cancellation) async throws(RenderingError) {
        guard jobs.contains(where: { !$0.options.overlays.isEmpty }) else { return }
        let isKept = try await run(jobs[0]) { OverlayBudget.isKept(by: jobs) { !cancellation.isCancelled } }
        guard isKept else { throw .tooMuch(OverlayBudget.fault) }
    }

    /// Throws at once if `limit` would refuse `job` now, before anything is computed.
    func refuse(_ limit: ConcurrencyLimit, _ job: StaticJob, _ maxWait: Double) throws(RenderingError) {
        guard let seconds = limit.refusal(maxWait: maxWait) else { return }
        report(job.layer.id, .full)
        throw .overloaded(retryAfter: seconds)
    }

    /// Waits at most `maxWait` seconds until `job` may enter `limit`. Throws if the limit refuses the job.
    func enter(
        _ limit: ConcurrencyLimit, _ job: StaticJob, maxWait: Double, isLong: Bool = false,
        cancellation: Cancellation
    ) async throws(RenderingError) -> ConcurrencyLimit.Place {
        switch await limit.enter(maxWait: maxWait, isLong: isLong) {
        case .inside(let place): return place
        case .refused(let seconds):
            if cancellation.isCancelled { throw .abandoned }
            report(job.layer.id, .full)
            throw .overloaded(retryAfter: seconds)
        }
    }

    /// Runs `work` on the work queue, on which the maps take turns. Throws if the queue refuses the work.
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
    /// Returns the scale of the layer's tiles for an image of `scale`.
    func tileScale(for scale: Int) -> Int { sourceScales.contains(scale) ? scale : 1 }

    /// The layers that an image of this map, or of this single layer, draws from the bottom up.
    var drawnLayers: [DrawnLayer] {
        guard !settings.source.isMap else { return mapLayers }
        return [DrawnLayer(self, opacity: settings.opacity, blend: .normal)]
    }

    /// The color where there are no tiles.
    package var background: RGBA {
        if case .map(let map) = settings.source { map.background } else { MapImage.background }
    }
}
