import Bytes
import Configuration
import MapGeometry
import MapRenderer
import Raster
import Reactor
import TileCache
import TileLayers

/// Draws static images: fetches their tiles by way of the cache, warps them, and encodes the picture.
///
/// Thread rule: any thread.
struct StaticRenderer: Sendable {
    let loader: TileLoader
    let work: WorkQueue
    let turnstile: Turnstile
    /// Threads for the rows of one image.
    let parallel: Int

    struct Picture: Sendable {
        let png: SharedBytes
        let times: PartTimes
        /// Tiles that could not be had.
        let missing: Int
        let tileZoom: Int?
    }

    enum Failure: Error {
        /// Too many images are being drawn.
        case overloaded
        case failed
    }

    /// Seconds for the tiles of an image (threats.md 2).
    static let deadline = 15.0

    /// `progress` hears how many of how many tiles are there.
    func picture(
        _ job: StaticJob, progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
    ) async throws(Failure) -> Picture {
        guard await turnstile.enter() else { throw .overloaded }
        defer { turnstile.leave() }
        let plan: RenderPlan
        do throws(CameraError) { plan = try job.plan() } catch { throw .failed }
        let pixels = PixelWork(
            queue: work, patience: Self.deadline, png: PNGOptions(job.layer.settings.png), onError: { _ in })
        let harvest = await TileCollector(
            Self.orders(plan, job), layers: plan.layers.count, loader: loader, pixels: pixels, progress: progress
        ).harvest(deadline: Self.deadline)
        let png: SharedBytes
        do {
            png = try await work.run { try? draw(plan, harvest, job, pixels.png) } ?? .empty
        } catch {
            throw .overloaded
        }
        guard png.count > 0 else { throw .failed }
        return Picture(png: png, times: harvest.times, missing: harvest.missing, tileZoom: plan.tileZoom)
    }

    private static func orders(_ plan: RenderPlan, _ job: StaticJob) -> [TileCollector.Order] {
        zip(plan.layers, job.sheets).enumerated().flatMap { place, pair in
            let (layer, sheet) = pair
            let scale = sheet.layer.tileScale(for: job.scale)
            return layer.tiles.map { TileCollector.Order(layer: place, sheet: sheet, tile: $0, scale: scale) }
        }
    }

    private func draw(
        _ plan: RenderPlan, _ harvest: TileCollector.Harvest, _ job: StaticJob, _ options: PNGOptions
    ) throws -> SharedBytes {
        let picture = MapImage.render(plan, tiles: harvest.tiles, background: job.background, parallel: parallel)
        return try PNGEncoder.encode(picture, options: options)
    }
}

extension ServedLayer {
    /// The scale that the layer's tiles are asked for where `scale` is drawn.
    func tileScale(for scale: Int) -> Int { drawn.contains(scale) ? scale : 1 }

    /// What a picture of this map, or of this layer alone, consists of, the lowest first.
    var ownSheets: [Sheet] {
        guard !settings.source.isMap else { return sheets }
        return [Sheet(self, opacity: settings.opacity, blend: .normal)]
    }

    /// What shows where there are no tiles.
    var background: RGBA {
        if case .map(let map) = settings.source { RGBA(map.background) } else { MapImage.background }
    }
}
