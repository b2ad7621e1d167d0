import Bytes
import Configuration
import MapGeometry
import MapRenderer
import Raster
import Reactor
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
    /// Threads for the rows of one image.
    let parallel: Int

    package struct RenderedImage: Sendable {
        package let png: SharedBytes
        package let life: SharedLife
        /// Tiles that could not be had.
        package let missing: Int
        package let tileZoom: Int?
    }

    package enum Failure: Error {
        /// Too many images are being drawn.
        case overloaded
        case failed
        /// It took too long.
        case late
    }

    /// What a request for an image comes to.
    package enum Outcome: Sendable {
        case drawn(RenderedImage)
        /// Another request drew it while this one waited for its turn.
        case found(StaticImages.Image)
    }

    /// Seconds for the tiles of an image (docs/spec/threats.md 2).
    static let deadline = 15.0

    /// Draws `job`, in its turn. Calls `progress` with how many of how many tiles are there.
    package func image(
        _ job: StaticJob, progress: @escaping @Sendable (Int, Int) -> Void
    ) async throws(Failure) -> RenderedImage {
        guard await images.enter(maxWait: Self.deadline) else { throw .overloaded }
        defer { images.leave() }
        return try await encoded(job, progress)
    }

    /// The image that `find` returns when it is this job's turn; draws `job` where it returns nil.
    package func image(
        _ job: StaticJob, unlessFound find: @Sendable () -> StaticImages.Image?
    ) async throws(Failure) -> Outcome {
        guard await images.enter(maxWait: Self.deadline) else { throw .overloaded }
        defer { images.leave() }
        if let image = find() { return .found(image) }
        return .drawn(try await encoded(job) { _, _ in })
    }

    private func encoded(
        _ job: StaticJob, _ progress: @escaping @Sendable (Int, Int) -> Void
    ) async throws(Failure) -> RenderedImage {
        let options = job.layer.settings.png
        let drawing = try await drawing(job, deadline: Self.deadline, progress: progress) {
            try PNGEncoder.encode($0, options: options)
        }
        return RenderedImage(
            png: drawing.value, life: drawing.collected.life, missing: drawing.collected.missing,
            tileZoom: drawing.tileZoom)
    }

    /// What was made of an image's pixels, and of which tiles.
    struct Drawing<Value: Sendable>: Sendable {
        let value: Value
        let collected: TileCollector.CollectedTiles
        let tileZoom: Int?
    }

    /// Draws `job` and passes the pixels to `make`, on the queue. The caller has entered `images`; `deadline` is in
    /// seconds, for the tiles.
    func drawing<Value: Sendable>(
        _ job: StaticJob, deadline: Double, progress: @escaping @Sendable (Int, Int) -> Void,
        _ make: @escaping @Sendable (Pixmap) throws -> Value
    ) async throws(Failure) -> Drawing<Value> {
        guard let plan = await plan(job) else { throw .failed }
        let pixels = PixelWork(
            queue: work, layer: job.layer.id, maxWait: Self.deadline, png: job.layer.settings.png, onError: { _ in })
        let collected = await TileCollector(
            Self.orders(plan, job), layers: plan.layers.count, loader: loader, pixels: pixels, progress: progress
        ).collect(deadline: deadline)
        let value: Value?
        do {
            // Nil: memory ran out.
            value = try await work.run(for: job.layer.id) { try? make(pixmap(plan, collected, job)) }
        } catch {
            throw .overloaded
        }
        guard let value else { throw .failed }
        return Drawing(value: value, collected: collected, tileZoom: plan.tileZoom)
    }

    /// Not on a reactor: thousands of rows are computed.
    private func plan(_ job: StaticJob) async -> RenderPlan? {
        // The view has a size, so there is nothing to throw but that the queue is full.
        (try? await work.run { try? job.plan() }) ?? nil
    }

    private static func orders(_ plan: RenderPlan, _ job: StaticJob) -> [TileCollector.Order] {
        zip(plan.layers, job.drawnLayers).enumerated().flatMap { index, pair in
            let (layer, drawnLayer) = pair
            let scale = drawnLayer.layer.tileScale(for: job.scale)
            return layer.tiles.map {
                TileCollector.Order(
                    layer: index, drawnLayer: drawnLayer, tile: $0, scale: scale, side: layer.layer.tileSize)
            }
        }
    }

    private func pixmap(_ plan: RenderPlan, _ collected: TileCollector.CollectedTiles, _ job: StaticJob) -> Pixmap {
        var pixmap = MapImage.render(plan, tiles: collected.tiles, background: job.background, parallel: parallel)
        MapImage.draw(job.overlays, on: &pixmap, of: plan)
        return pixmap
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
