import MapRenderer
import Raster
import Runtime
import Synchronization

extension StaticRenderer {
    /// The value that was made from an image's pixels, with facts about its tiles.
    struct Drawing<Value: Sendable>: Sendable {
        let value: Value
        let collected: TileCollector.CollectedTiles
        let tileZoom: Int?
    }

    /// Draws the image `planned` and converts its pixels with `make`, which runs on the work queue. The caller has
    /// already reserved the memory and entered the limit `images`. `deadline` is the number of seconds in which the
    /// tiles must arrive.
    func drawing<Value: Sendable>(
        _ planned: PlannedImage, _ tiles: DecodedTiles, deadline: Double, cancellation: Cancellation,
        progress: @escaping @Sendable (Int, Int) -> Void,
        make: @escaping @Sendable (Pixmap) throws -> Value
    ) async throws(RenderingError) -> Drawing<Value> {
        let (job, plan) = (planned.job, planned.plan)
        let drawing = MapDrawing(plan, background: job.background)
        let collected = try await draw(
            drawing, planned, tiles, deadline: deadline, cancellation: cancellation, progress: progress)
        let value: Value? = try await run(job) {
            let isWanted = { @Sendable in !cancellation.isCancelled }
            var pixmap = drawing.finish()
            guard MapImage.draw(job.overlays, on: &pixmap, of: plan, isWanted: isWanted) else { return nil }
            // Nil if memory ran out, or if the task was cancelled in the meantime.
            return try? make(pixmap)
        }
        guard let value else { throw cancellation.isCancelled ? .abandoned : .failed }
        return Drawing(value: value, collected: collected, tileZoom: plan.tileZoom)
    }

    /// Draws the tiles of an image in several steps, to use less memory. Each step fetches, decodes and draws some
    /// tiles, and frees the tiles that no later step needs. Only the time for fetching and decoding counts toward
    /// `deadline`.
    private func draw(
        _ drawing: MapDrawing, _ planned: PlannedImage, _ tiles: DecodedTiles, deadline: Double,
        cancellation: Cancellation, progress: @escaping @Sendable (Int, Int) -> Void
    ) async throws(RenderingError) -> TileCollector.CollectedTiles {
        let job = planned.job
        let pixels = PixelWork(
            queue: work, layer: job.layer.id, maxWait: Self.deadline, encoder: ImageEncoder(),
            memory: TileMemory(most: .max), isAdmitted: true,
            onError: { _ in })
        let counter = ProgressCounter(of: planned.schedule.steps.reduce(0) { $0 + $1.tiles.count(where: \.isFirst) })
        var collected = TileCollector.CollectedTiles()
        var left = deadline
        for step in planned.schedule.steps {
            tiles.begin(step.tiles)
            let begin = MonotonicTime.now()
            let some = await TileCollector(
                orders(step, planned.plan, job), loader: loader, pixels: pixels, decoded: tiles
            ) {
                counter.count(progress)
            }.collect(deadline: max(left, 0))
            left -= MonotonicTime.now().seconds(since: begin)
            collected.life.join(some.life)
            collected.missing += some.missing
            if some.isLate, !cancellation.isCancelled { report(job.layer.id, .late) }
            let isDrawn = try await run(job) {
                defer { tiles.end(step.tiles) }
                return drawing.draw(step, tiles: tiles.pyramids(of: step)) { !cancellation.isCancelled }
            }
            guard isDrawn else { throw .abandoned }
        }
        return collected
    }

    private func orders(_ step: RenderSchedule.Step, _ plan: RenderPlan, _ job: StaticJob) -> [TileCollector.Order] {
        let layers = job.drawnLayers
        return step.tiles.map { tile in
            let drawnLayer = layers[tile.id.layer]
            return TileCollector.Order(
                tile: tile, drawnLayer: drawnLayer, scale: drawnLayer.tileScale(for: job.scale),
                side: plan.layers[tile.id.layer].layer.tileSize)
        }
    }
}

/// Counts the finished tiles of an image and reports the progress. Thread rule: any thread.
private final class ProgressCounter: Sendable {
    private let total: Int
    private let done = Atomic(0)

    init(of total: Int) {
        self.total = total
    }

    func count(_ progress: (Int, Int) -> Void) {
        progress(done.wrappingAdd(1, ordering: .relaxed).newValue, total)
    }
}
