import Configuration
import EventLog
import Logging
import MapGeometry
import Raster
import Runtime
import Synchronization
import TileCache
import TileSources
import Tiles

/// Makes the layers that are drawn from GeoJSON files.
struct GeoJSONLayerFactory {
    let work: WorkQueue
    let log: EventLog

    /// Reads the file, and so blocks. Throws a `LayerFactory.LayerError` that says what is wrong with it.
    func make(_ source: GeoJSONSource, _ settings: LayerSettings) throws(LayerFactory.LayerError)
        -> LayerFactory.BuiltLayer
    {
        let (log, id) = (log, settings.id)
        let timeout = settings.timeout.inSeconds
        do throws(GeoJSONError) {
            let file = try GeoJSONLayer(
                path: source.path, style: GeoJSONStyle(source), usesSimplestyle: source.simplestyle,
                tileSize: settings.tileSize == 512 ? .double : .standard)
            let adapter = SyncLayerAdapter(
                layer: file, id: id, tileSize: settings.tileSize, queue: work, maxWait: timeout, png: settings.png
            ) { error in
                log.record("layer_failed", layer: id, ["error": "\(error)"])
            }
            return LayerFactory.BuiltLayer(
                layer: GeoJSONTiles(file: file, adapter: adapter, log: log, id: id), execution: .nonblocking,
                timeout: timeout, pixels: .drawn)
        } catch {
            throw LayerFactory.LayerError(layer: id, reason: "geojson: \(error)")
        }
    }
}

/// The tiles of a GeoJSON file, which is read again when they are cleared.
struct GeoJSONTiles: TileLayer {
    fileprivate let file: GeoJSONLayer
    fileprivate let adapter: SyncLayerAdapter
    fileprivate let log: EventLog
    fileprivate let id: String
    /// Whether the log has the line that the file has more than can be drawn.
    fileprivate let isKnownAsComplex = Flag()

    var scales: ClosedRange<Int> { file.scales }

    /// Where the file has features now; nil where it has none.
    var currentBounds: GeographicBox? { file.bounds }

    var residentBytes: Int { file.residentBytes }

    func isOutdated(since description: SourceDescription?) -> Bool { file.isOutdated }

    func answer(
        at coordinate: TileCoordinate, scale: Int, holding validators: Validators?
    ) async -> SourceAnswer {
        let answer = await adapter.answer(at: coordinate, scale: scale, holding: validators)
        switch answer {
        case .result(.unavailable(.tooComplex), _): recordComplexity(at: coordinate, scale, "not_drawn")
        case .result(.tile(let tile), _) where tile.derivation?.upscaled != nil:
            recordComplexity(at: coordinate, scale, "coarse")
        default: break
        }
        return answer
    }

    /// Logs once for each file that is read: a file with one tile too complex has more, and each is tried again.
    private func recordComplexity(at coordinate: TileCoordinate, _ scale: Int, _ tile: String) {
        guard isKnownAsComplex.raise() else { return }
        log.record(
            "tile_too_complex", layer: id,
            ["at": "\(coordinate)@\(scale)x", "tile": "\(tile)", "path": "\(file.path)"])
    }

    var reload: Reload? {
        {
            switch await file.reload() {
            case nil: break
            case .replaced:
                isKnownAsComplex.lower()
                log.record("file_replaced", level: .info, layer: id, ["path": "\(file.path)"])
            case .notReplaced(let error): log.record("file_unreadable", layer: id, ["why": "\(error)"])
            }
        }
    }
}

/// A flag that can be raised and lowered.
///
/// A class to be shared. Thread rule: any thread.
private final class Flag: Sendable {
    private let isRaised = Mutex(false)

    /// False where it is true already.
    func raise() -> Bool {
        isRaised.withLock { isRaised in
            defer { isRaised = true }
            return !isRaised
        }
    }

    func lower() { isRaised.withLock { $0 = false } }
}
