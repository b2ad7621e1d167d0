import MapRenderer
import Raster
import Runtime

/// An image that is to be drawn: of which tiles, in which steps, and what that takes.
struct PlannedImage: Sendable {
    let job: StaticJob
    let plan: RenderPlan
    let schedule: RenderSchedule
    /// Bytes of decoded tiles that the steps were made for.
    let tileLimit: Int
}

extension PlannedImage {
    /// Bytes of decoded tiles that an image or an animation holds at a time, if it may: all that a large image of one layer
    /// sees (docs/spec/threats.md 2). Of what sees more, tiles are decoded when they are needed.
    private static let mostTileBytes = 64 << 20
    /// With fewer, tiles would be decoded again and again.
    private static let leastTileBytes = 1 << 20

    /// Plans `job`, with as many tiles at a time as have it take no more than `most` bytes; nil where it takes more with the
    /// fewest. Computes: not on a reactor.
    init?(_ job: StaticJob, isFrame: Bool = false, most: Int) {
        // The view has a size, so there is nothing to throw.
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

    /// Bytes of tiles as they came that are kept at most, to decode them once more.
    var encodedLimit: Int { schedule.rowBytes > 0 ? tileLimit / 8 : 0 }

    /// Beside pixels: plans, rows that are drawn, what a codec takes.
    private static let base = 256 << 10

    /// Bytes that a single image takes at most: its pixels with the tiles that are decoded, or, after that, with what is encoded.
    var imageCost: Int {
        Self.base + pixels * 4 + max(schedule.tileBytes + schedule.rowBytes + encodedLimit, pixels * encodingCost)
    }

    /// Bytes a pixel that encoding takes at most beside the pixels.
    private var encodingCost: Int {
        let isOpaque = job.background.alpha == 255
        return ImageEncoder(job.layer.settings).memory(ofPixels: pixels, as: job.form, isOpaque: isOpaque)
    }

    /// Bytes that a frame of an animation takes at most, beside what the frames before it were compressed to: its pixels and
    /// those of the one before, what differs, with its samples and what these are compressed to, and tiles that are kept for
    /// other frames.
    var frameCost: Int {
        Self.base + pixels * (4 + 4 + 4 + 5) + max(schedule.tileBytes, tileLimit)
            + max(schedule.rowBytes, tileLimit / 2)
    }
}

extension StaticRenderer {
    /// Plans `job`. Not on a reactor: thousands of rows are computed.
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

    /// Waits until there is room for `bytes` of `job`, which are given back when the result goes: until `end` at most.
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
