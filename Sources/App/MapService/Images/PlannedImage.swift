import MapRenderer
import Raster
import Runtime

/// A planned image: its tiles, its drawing steps, and the memory that they need.
struct PlannedImage: Sendable {
    let job: StaticJob
    let plan: RenderPlan
    let schedule: RenderSchedule
    /// The limit for decoded tiles in bytes with which the schedule was made.
    let tileLimit: Int
}

extension PlannedImage {
    /// Maximum bytes of decoded tiles for an image or an animation. It is enough for a large image of one layer
    /// (docs/spec/threats.md 2). A larger view decodes its tiles step by step.
    private static let mostTileBytes = 64 << 20
    /// Minimum of this limit. Below that, tiles would have to be decoded again too often.
    private static let leastTileBytes = 1 << 20

    /// Plans how to draw `job` with at most `most` bytes of memory. Tries smaller and smaller limits for decoded tiles,
    /// and uses the first one with which the image fits. Returns nil if the image does not fit even with the smallest
    /// limit. The computation takes long, so it must not run on a reactor.
    init?(_ job: StaticJob, isFrame: Bool = false, most: Int) {
        // The view has a size, so `plan` cannot throw.
        guard let plan = try? job.plan() else { return nil }
        var limit = Self.mostTileBytes
        while true {
            let schedule = RenderSchedule(plan, limit: limit)
            let planned = PlannedImage(job: job, plan: plan, schedule: schedule, tileLimit: limit)
            if (isFrame ? planned.frameCost : planned.imageCost) <= most {
                self = planned
                return
            }
            limit /= 2
            guard limit >= Self.leastTileBytes else { return nil }
        }
    }

    private var pixels: Int { plan.width * plan.height }

    /// Maximum bytes of encoded tiles that are kept to be decoded again.
    var encodedLimit: Int { schedule.rowBytes > 0 ? tileLimit / 8 : 0 }

    /// Bytes that every image needs besides those that grow with its size: plans, a row, the fixed part of a codec.
    private static let base = 256 << 10

    /// Maximum bytes for a single image: its pixels, and the larger of the decoded tiles and the encoder's memory.
    var imageCost: Int {
        Self.base + pixels * 4 + max(schedule.tileBytes + schedule.rowBytes + encodedLimit, pixels * encodingCost)
    }

    /// Maximum bytes per pixel for encoding, besides the pixels.
    private var encodingCost: Int {
        let isOpaque = job.background.alpha == 255
        return ImageEncoder(job.layer.settings).memory(ofPixels: pixels, as: job.form, isOpaque: isOpaque)
    }

    /// Maximum bytes for one frame of an animation, without the compressed data of earlier frames. Includes the pixels
    /// of this frame and of the previous frame, and their compressed difference. Also includes the tiles that are kept
    /// for other frames.
    var frameCost: Int {
        Self.base + pixels * (4 + 4 + 4 + 5) + max(schedule.tileBytes, tileLimit)
            + max(schedule.rowBytes, tileLimit / 2)
    }
}

extension StaticRenderer {
    /// Plans `job` on the queue, not on a reactor, because thousands of rows are computed.
    func plan(
        _ job: StaticJob, isFrame: Bool = false, _ cancellation: Cancellation
    ) async throws(RenderingError) -> PlannedImage {
        let most = memory.most(for: .images)
        let planned = try await run(job) {
            cancellation.isCancelled ? nil : PlannedImage(job, isFrame: isFrame, most: most)
        }
        guard let planned else { throw cancellation.isCancelled ? .abandoned : .tooLarge }
        return planned
    }

    /// Reserves `bytes` of memory for `job`. Waits for free memory at most until `end`. The memory is free again when
    /// the returned reservation is released.
    func reserve(
        _ bytes: Int, _ job: StaticJob, until end: MonotonicTime, _ cancellation: Cancellation
    ) async throws(RenderingError) -> MemoryReservation {
        do throws(MemoryShortageError) {
            return try await memory.reserve(bytes, for: .images, until: end)
        } catch {
            if cancellation.isCancelled { throw .abandoned }
            if case .neverFits = error { throw .tooLarge }
            report(job.layer.id, .full)
            throw .overloaded(retryAfter: WaitEstimate.retryAfter(Self.longestWait))
        }
    }
}
