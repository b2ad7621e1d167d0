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
        /// More is to be drawn over the tiles than a picture may have.
        case tooMuch(CameraFault)
        /// Nobody waits for it any more: the task was cancelled.
        case abandoned
        /// Somebody else has drawn it meanwhile.
        case drawn(StaticImages.Image)
    }

    /// Seconds for the tiles of an image (docs/spec/threats.md 2).
    static let deadline = 15.0

    /// `meanwhile` is asked, when it is this picture's turn, whether it is still wanted; `progress` hears how many of how
    /// many tiles are there. Where the task is cancelled, no more than a few rows are drawn after that.
    package func picture(
        _ job: StaticJob, meanwhile: @Sendable () -> StaticImages.Image? = { nil },
        progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
    ) async throws(Failure) -> Picture {
        try await Cancellation.following { cancellation async throws(Failure) in
            try await picture(job, meanwhile, progress, cancellation)
        }
    }

    private func picture(
        _ job: StaticJob, _ meanwhile: @Sendable () -> StaticImages.Image?,
        _ progress: @escaping @Sendable (Int, Int) -> Void, _ cancellation: Cancellation
    ) async throws(Failure) -> Picture {
        try await judge([job], cancellation)
        try await enter(pictures, cancellation)
        defer { pictures.leave() }
        if let image = meanwhile() { throw .drawn(image) }
        let options = job.layer.settings.png
        let drawing = try await drawing(job, deadline: Self.deadline, cancellation, progress: progress) {
            try PNGEncoder.encode($0, options: options) { !cancellation.isCancelled }
        }
        return RenderedImage(
            png: drawing.value, life: drawing.collected.life, missing: drawing.collected.missing,
            tileZoom: drawing.tileZoom)
    }

    /// Throws where the overlays of `jobs`, the frames of one picture, are more than may be drawn.
    func judge(_ jobs: [StaticJob], _ cancellation: Cancellation) async throws(Failure) {
        guard jobs.contains(where: { !$0.options.overlays.isEmpty }) else { return }
        let isKept: Bool
        do {
            isKept = try await work.run { OverlayBudget.isKept(by: jobs) { !cancellation.isCancelled } }
        } catch {
            throw .overloaded
        }
        guard isKept else { throw .tooMuch(OverlayBudget.fault) }
    }

    func enter(_ limit: ConcurrencyLimit, _ cancellation: Cancellation) async throws(Failure) {
        guard await limit.enter(patience: Self.deadline) else {
            throw cancellation.isCancelled ? .abandoned : .overloaded
        }
    }

    /// What was made of a picture, and of which tiles.
    struct Drawing<Value: Sendable>: Sendable {
        let value: Value
        let collected: TileCollector.CollectedTiles
        let tileZoom: Int?
    }

    /// Draws `job` and passes the pixels to `make`, on the queue. The caller has entered `pictures`; `deadline` is in seconds, for
    /// the tiles, and `decoded` has some of them.
    func drawing<Value: Sendable>(
        _ job: StaticJob, deadline: Double, _ cancellation: Cancellation, decoded: DecodedTiles? = nil,
        progress: @escaping @Sendable (Int, Int) -> Void,
        _ make: @escaping @Sendable (Pixmap) throws -> Value
    ) async throws(Failure) -> Drawing<Value> {
        guard let plan = await plan(job, cancellation) else { throw cancellation.isCancelled ? .abandoned : .failed }
        let pixels = PixelWork(
            queue: work, patience: Self.deadline, png: job.layer.settings.png, onError: { _ in })
        let harvest = await TileCollector(
            Self.orders(plan, job), layers: plan.layers.count, loader: loader, pixels: pixels, decoded: decoded,
            progress: progress
        ).harvest(deadline: deadline)
        let value: Value?
        do {
            // Nil: memory ran out.
            value = try await work.run { try? pixmap(plan, harvest, job, cancellation).map(make) }
        } catch {
            throw .overloaded
        }
        guard let value else { throw cancellation.isCancelled ? .abandoned : .failed }
        return Drawing(value: value, harvest: harvest, tileZoom: plan.tileZoom)
    }

    /// Not on a reactor: thousands of rows are looked at.
    private func plan(_ job: StaticJob, _ cancellation: Cancellation) async -> RenderPlan? {
        // The view has a size, so there is nothing to throw but that the queue is full.
        (try? await work.run { cancellation.isCancelled ? nil : try? job.plan() }) ?? nil
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

    /// Nil where nobody waits for it any more.
    private func pixmap(
        _ plan: RenderPlan, _ harvest: TileCollector.Harvest, _ job: StaticJob, _ cancellation: Cancellation
    ) -> Pixmap? {
        let isWanted = { @Sendable in !cancellation.isCancelled }
        guard
            var picture = MapImage.render(
                plan, tiles: harvest.tiles, background: job.background, parallel: parallel, isWanted: isWanted),
            MapImage.draw(job.overlays, on: &picture, of: plan, isWanted: isWanted)
        else { return nil }
        return picture
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
