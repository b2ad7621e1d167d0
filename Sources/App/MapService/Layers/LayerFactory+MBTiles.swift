import Configuration
import EventLog
import Logging
import Runtime
import TileSources

extension LayerFactory {
    /// A layer whose tiles lie in an MBTiles file. Opens the file, and so blocks. Throws what is wrong with the file.
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
