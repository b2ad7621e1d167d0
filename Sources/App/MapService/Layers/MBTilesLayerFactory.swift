import Configuration
import EventLog
import Logging
import Runtime
import TileSources

/// Makes the layers whose tiles lie in MBTiles files.
struct MBTilesLayerFactory {
    let files: WorkQueue
    let log: EventLog

    /// Opens the file, and so blocks. Throws a `LayerFactory.LayerError` that says what is wrong with it.
    func make(_ path: String, _ settings: LayerSettings) throws(LayerFactory.LayerError) -> LayerFactory.BuiltLayer {
        let (log, id) = (log, settings.id)
        do throws(MBTilesError) {
            let layer = try MBTilesLayer(path: path, queue: files, timeout: settings.timeout.inSeconds) {
                coordinate, event in
                log.record(
                    event.name, level: event.level, layer: id,
                    [
                        "why": "\(event)", "z": .stringConvertible(coordinate.z),
                        "x": .stringConvertible(coordinate.x), "y": .stringConvertible(coordinate.y),
                    ])
            }
            return LayerFactory.BuiltLayer(
                layer: layer, execution: .nonblocking, timeout: settings.timeout.inSeconds)
        } catch {
            throw LayerFactory.LayerError(layer: id, reason: "mbtiles: \(error)")
        }
    }
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
