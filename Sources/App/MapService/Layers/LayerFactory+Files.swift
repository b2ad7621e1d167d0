import Configuration
import EventLog
import Logging
import MapGeometry
import Synchronization
import TileCache
import TileSources
import Tiles

extension LayerFactory {
    /// Makes a layer that draws the features of a GeoJSON file. Blocks while it reads the file. Throws if the file is
    /// missing or invalid.
    func make(_ source: GeoJSONSource, _ settings: LayerSettings) throws(LayerError) -> BuiltLayer {
        do throws(GeoJSONError) {
            let file = try GeoJSONLayer(
                path: source.path, style: GeoJSONStyle(source), usesSimplestyle: source.simplestyle,
                labels: GeoJSONLabelStyle(source), tileSize: settings.tileSize == 512 ? .double : .standard)
            log.recordLeftOutLabels(of: file, layer: settings.id)
            var built = queued(file, on: work, settings)
            let flag = Flag()
            built.layer = GeoJSONTiles(
                file: file, drawn: built.layer, log: log, id: settings.id, isKnownAsComplex: flag)
            built.unlabelled = built.unlabelled.map {
                GeoJSONTiles(file: file, drawn: $0, log: log, id: settings.id, isKnownAsComplex: flag)
            }
            return built
        } catch {
            throw LayerError(layer: settings.id, reason: "geojson: \(error)")
        }
    }

    /// Makes a layer with the tiles of an MBTiles file. Blocks while it opens the file. Throws if the file is missing
    /// or invalid.
    func make(_ source: MBTilesSource, _ settings: LayerSettings) throws(LayerError) -> BuiltLayer {
        let (log, id) = (log, settings.id)
        do throws(MBTilesError) {
            let layer = try MBTilesLayer(path: source.path, queue: files, timeout: settings.timeout.inSeconds) {
                coordinate, event in
                log.record(
                    event.name, level: event.level, layer: id, coordinate.logFields.merging(["why": "\(event)"]) { $1 })
            }
            return BuiltLayer(
                layer: layer, execution: .nonblocking, timeout: settings.timeout.inSeconds)
        } catch {
            throw LayerError(layer: id, reason: "mbtiles: \(error)")
        }
    }
}

/// A layer that draws a GeoJSON file. A clear of the whole layer reads a changed file again.
struct GeoJSONTiles: TileLayer {
    fileprivate let file: GeoJSONLayer
    /// The layer that draws `file` on the work queue.
    fileprivate let drawn: any TileLayer
    fileprivate let log: EventLog
    fileprivate let id: String
    /// Raised once the log has reported that the file is too complex. The layer with labels and the layer without
    /// labels share this flag, so that the log reports the file only once.
    fileprivate let isKnownAsComplex: Flag

    var scales: ClosedRange<Int> { file.scales }

    /// The current bounds of the file's features. Nil if the file has no features.
    var currentBounds: GeographicBox? { file.bounds }

    var residentBytes: Int { file.residentBytes }

    func isOutdated(since description: SourceDescription?) -> Bool { file.isOutdated }

    func answer(
        at coordinate: TileCoordinate, scale: Int, holding validators: Validators?
    ) async -> SourceAnswer {
        let answer = await drawn.answer(at: coordinate, scale: scale, holding: validators)
        switch answer {
        case .result(.unavailable(.tooComplex), _): recordComplexity(at: coordinate, scale, "not_drawn")
        case .result(.tile(let tile), _) where tile.derivation?.upscaled != nil:
            recordComplexity(at: coordinate, scale, "coarse")
        default: break
        }
        return answer
    }

    /// Logs once for each version of the file. A file with one tile that is too complex usually has more of them.
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
                log.recordLeftOutLabels(of: file, layer: id)
            case .notReplaced(let error): log.record("file_unreadable", layer: id, ["why": "\(error)"])
            }
        }
    }
}

extension EventLog {
    /// Logs the number of labels in `file` that are never drawn because they exceed the limits of a file. Logs nothing
    /// if the number is 0.
    fileprivate func recordLeftOutLabels(of file: GeoJSONLayer, layer: String) {
        let count = file.leftOutLabels
        guard count > 0 else { return }
        record("labels_left_out", layer: layer, ["labels": .stringConvertible(count), "path": "\(file.path)"])
    }
}

/// A flag that is either raised or lowered, for example to log a message only once. Thread rule: any thread.
private final class Flag: Sendable {
    private let isRaised = Mutex(false)

    /// Raises the flag. Returns false if the flag was raised before.
    func raise() -> Bool {
        isRaised.withLock { isRaised in
            defer { isRaised = true }
            return !isRaised
        }
    }

    func lower() { isRaised.withLock { $0 = false } }
}

extension MBTilesEvent {
    /// The name of the log event.
    fileprivate var name: String {
        switch self {
        case .corrupt, .tooLarge: "tile_corrupt"
        case .unreadable, .tooSlow, .notReplaced: "file_unreadable"
        case .replaced: "file_replaced"
        case .overloaded: "shed"
        }
    }

    fileprivate var level: Logger.Level {
        if case .replaced = self { .info } else { .warning }
    }
}
