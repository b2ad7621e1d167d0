import Configuration
import EventLog
import Foundation
import Logging

/// A program that is a tile server and nothing else.
extension TileServer {
    /// Where a client finds the server, such as `http://127.0.0.1:8080`, without a slash at its end.
    public var address: String {
        let host = launch.sockets.first?.host ?? configuration.server.host
        // An address that means "all" is no address to go to.
        let reachable = host == "0.0.0.0" || host == "::" ? "localhost" : host
        return "http://\(reachable.contains(":") ? "[\(reachable)]" : reachable):\(port)"
    }

    /// Serves until SIGINT (control-C) or SIGTERM, then finishes the answers under way and returns. The next signal after
    /// that ends the process.
    ///
    /// The log says where the server listens. A program with a life of its own does not call this: the server serves from
    /// `init` to `stop()`.
    public func run() async {
        let signals = StopSignals()
        // A client that goes away is an answer that cannot be sent, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        log.write(
            "listening", ["address": "\(address)", "layers": "\((layerIDs + mapIDs).joined(separator: " "))"])
        await signals.first()
        await stop(signals)
    }

    /// As `stop()`, at once where another of `signals` comes.
    package func stop(_ signals: StopSignals) async {
        signals.exitOnNext()
        log.write("shutdown", ["inflight": .stringConvertible(connectionCount)])
        await stop()
    }

    /// Does what a program is for, at the top of its `main.swift`:
    ///
    ///     await TileServer.main {
    ///         let server = try TileServer(port: 8080, layers: layers)
    ///         await server.run()
    ///     }
    ///
    /// Where `body` throws, such as for a port that is taken, the program ends with a line on standard error that says why, and with a
    /// status of sysexits.h: 71 for what the system refuses, 78 for what a `TileServer` is described by, 1 for any other error.
    /// Swift itself would end it with a trap and a dump of its registers.
    public static func main(_ body: @Sendable () async throws -> Void) async {
        do {
            try await body()
        } catch {
            LineWriter.standardError.write("\(ProcessInfo.processInfo.processName): \(error)\n")
            // What the program has printed itself.
            fflush(nil)
            LineWriter.endProcess(status: (error as? TileServerError)?.exitStatus ?? 1)
        }
    }
}

extension TileServerError {
    /// EX_OSERR or EX_CONFIG (sysexits.h).
    var exitStatus: Int32 {
        switch self {
        case .cannotListen, .cannotStart, .noPicture, .stopped: 71
        case .invalidID, .reservedID, .duplicateID, .unknownLayer, .unknownLayerInMap, .layerInUse, .invalidValue,
            .layerNotMade, .tooManyLayers, .tooManyTiles, .invalidCoordinate, .invalidScale, .invalidPicture:
            78
        }
    }
}
