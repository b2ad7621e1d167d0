import Configuration
import EventLog
import Foundation
import Logging
import MapService
import TileServer

/// The service of a command that makes tiles of one layer or map.
enum LayerService {
    /// Starts the service without a socket, and finds `layer`. `diskError` is the reason why the disk cache cannot be
    /// used, or nil. Throws `CommandError`.
    static func start(
        _ configuration: Configuration, layer: String
    ) throws(CommandError) -> (service: MapService, layer: ServedLayer, diskError: (any Error)?) {
        LogStyle.standardError.set(.automatic, level: .error)
        var logger = Logger(label: "tileserver") { _ in LineLogHandler.standardError }
        logger.logLevel = .error
        do throws(TileServerError) {
            var diskError: (any Error)?
            let service = try TileServer.service(for: configuration, logger: logger) { diskError = $0 }
            return (service, try service.layer(layer), diskError)
        } catch {
            if case .unknownLayer = error { throw .usage(error) }
            throw CommandError(error, status: EX_OSERR)
        }
    }
}
