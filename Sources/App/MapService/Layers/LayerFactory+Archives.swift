import Configuration
import EventLog
import Foundation
import HTTPClient
import Logging
import MapGeometry
import TileSources

extension LayerFactory {
    /// Makes a layer with the tiles of a PMTiles archive. Blocks while it opens a file, or for up to two seconds while
    /// it opens an archive on a server. Throws if a file is missing or invalid. A server may be away.
    func make(_ source: PMTilesSource, _ settings: LayerSettings) throws -> BuiltLayer {
        let place = try source.place(in: ProcessInfo.processInfo.environment)
        let timeout = settings.timeout.inSeconds
        switch place {
        case .file(let path):
            do throws(PMTilesFileError) {
                let layer = try PMTilesFileLayer(
                    path: path, queue: files, timeout: timeout, leaves: leaves, report: reportArchive(settings.id))
                return BuiltLayer(layer: layer, execution: .nonblocking, timeout: timeout)
            } catch {
                throw LayerError(layer: settings.id, reason: "pmtiles: \(error)")
            }
        case .remote(let url, let authorization):
            let options = urls.options(source, settings)
            let file = try RemoteFile(
                url: url, client: client, options: options, authorization: authorization, keepsDots: source.isObject,
                memory: files.memory)
            let layer = PMTilesRemoteLayer(
                file: file, leaves: leaves, isOffline: settings.offline, report: reportSource(settings.id),
                reportArchive: reportArchive(settings.id))
            // A cold lookup needs up to four requests, one after the other.
            var built = BuiltLayer(
                layer: layer, execution: .prompt, timeout: 2 * options.timeout + hosts.rules.queueTimeout + 1)
            let revision = layer.describe()?.revision
            built.version = revision.map { .known($0) } ?? .unknown
            return built
        }
    }

    private func reportSource(_ id: String) -> @Sendable (TileCoordinate?, SourceEvent) -> Void {
        { [log] coordinate, event in
            log.record(
                event.name, level: event.level, layer: id, pace: event.pace,
                event.fields.merging(coordinate?.logFields ?? [:]) { $1 })
        }
    }

    private func reportArchive(_ id: String) -> @Sendable (TileCoordinate?, PMTilesEvent) -> Void {
        { [log] coordinate, event in
            var fields = coordinate?.logFields ?? [:]
            if event != .replaced { fields["why"] = "\(event)" }
            log.record(event.name, level: event == .replaced ? .info : .warning, layer: id, fields)
        }
    }
}

extension PMTilesEvent {
    /// The name of the log event (docs/spec/threats.md 4).
    fileprivate var name: String {
        switch self {
        case .notAnImage, .tooLarge: "tile_corrupt"
        case .unreadable, .notReplaced: "file_unreadable"
        case .replaced: "file_replaced"
        case .overloaded: "shed"
        }
    }
}
