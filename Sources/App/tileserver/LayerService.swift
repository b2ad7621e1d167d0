import Configuration
import EventLog
import Foundation
import Logging
import MapService
import TileServer

/// The service of a command that makes tiles of one layer or map.
enum LayerService {
    /// Starts the service without a socket, and finds `layer`. `quality` replaces the quality of that layer if it is
    /// not nil. Says on standard error if the disk cache cannot be used. Throws `CommandError`.
    static func start(
        _ configuration: Configuration, layer: String, quality: Int?
    ) throws(CommandError) -> (service: MapService, layer: ServedLayer) {
        var configuration = configuration
        if let quality {
            for index in configuration.layers.indices where configuration.layers[index].id == layer {
                configuration.layers[index].quality = quality
            }
            for index in configuration.maps.indices where configuration.maps[index].id == layer {
                configuration.maps[index].quality = quality
            }
        }
        LogStyle.standardError.set(.automatic, level: .error)
        var logger = Logger(label: "tileserver") { _ in LineLogHandler.standardError }
        logger.logLevel = .error
        do throws(TileServerError) {
            let service = try TileServer.service(for: configuration, logger: logger) { error in
                complain("tileserver: the disk cache is not used: \(error)")
            }
            return (service, try service.layer(layer))
        } catch {
            if case .unknownLayer = error { throw .usage(error) }
            throw CommandError(error, status: EX_OSERR)
        }
    }
}
