import Configuration
import EventLog
import Foundation
import HTTPServer
import Logging

/// Runs a server until a signal stops it, for programs without other work.
extension TileServer {
    /// The URL of the server for clients, such as `http://127.0.0.1:8080`, without a slash at the end. With HTTPS
    /// alone, or if plain HTTP only leads to HTTPS, this is `secureAddress`.
    public var address: String {
        if let secureAddress, port == securePort || configuration.server.https?.redirect == true {
            return secureAddress
        }
        return url("http", launch.sockets, port)
    }

    /// The URL of the server for clients of HTTPS, without a slash at the end. Nil if there is no HTTPS. A client
    /// accepts the certificate only if it is valid for the host of the URL.
    public var secureAddress: String? {
        securePort.map { url("https", launch.secureSockets, $0) }
    }

    private func url(_ scheme: String, _ sockets: [ListeningSocket], _ port: Int) -> String {
        let host = sockets.first?.host ?? configuration.server.host
        // A client cannot connect to an address that means "all addresses".
        let reachable = host == "0.0.0.0" || host == "::" ? "localhost" : host
        return "\(scheme)://\(reachable.contains(":") ? "[\(reachable)]" : reachable):\(port)"
    }

    /// Serves until SIGINT (control-C) or SIGTERM. Then finishes the responses under way and returns. A second signal
    /// ends the process at once.
    ///
    /// The log tells the address of the server. A program with other work does not need to call `run`: the server
    /// serves from `init` to `stop()`.
    public func run() async {
        let signals = StopSignals()
        // Ignores SIGPIPE: a closed pipe, for example of the log, must not end the process.
        signal(SIGPIPE, SIG_IGN)
        var fields: Logger.Metadata = [
            "address": "\(address)", "layers": "\((layerIDs + mapIDs).joined(separator: " "))",
        ]
        if let secureAddress, secureAddress != address { fields["https"] = "\(secureAddress)" }
        log.write("listening", fields)
        await signals.first()
        await stop(signals)
    }

    /// Stops the server as `stop()` does. Another signal of `signals` ends the process at once.
    package func stop(_ signals: StopSignals) async {
        signals.exitOnNext()
        log.write("shutdown", ["inflight": .stringConvertible(connectionCount)])
        await stop()
    }

    /// Runs `body` as the main function of a program, at the top of its `main.swift`:
    ///
    ///     await TileServer.main {
    ///         let server = try TileServer(port: 8080, layers: layers)
    ///         await server.run()
    ///     }
    ///
    /// If `body` throws, for example because a port is in use, the program writes the error to standard error and ends.
    /// The exit status follows sysexits.h: 71 if the server cannot start, also because of a wrong setting, cannot
    /// listen or is stopped, or if an image cannot be drawn. It is 78 if a layer or an argument of a call is wrong, and
    /// 1 for other errors. Without this function, Swift would end the program with a trap and a dump of its registers.
    public static func main(_ body: @Sendable () async throws -> Void) async {
        do {
            try await body()
        } catch {
            LineWriter.standardError.write("\(ProcessInfo.processInfo.processName): \(error)\n")
            // Writes buffered output of the program's own `print` calls.
            fflush(nil)
            LineWriter.endProcess(status: (error as? TileServerError)?.exitStatus ?? 1)
        }
    }
}

extension TileServerError {
    /// The exit status EX_OSERR or EX_CONFIG (sysexits.h).
    var exitStatus: Int32 {
        switch self {
        case .cannotListen, .cannotStart, .noPicture, .stopped: 71
        case .invalidID, .reservedID, .duplicateID, .unknownLayer, .unknownLayerInMap, .layerInUse, .invalidValue,
            .layerNotMade, .tooManyLayers, .tooManyTiles, .invalidCoordinate, .invalidScale, .invalidPicture:
            78
        }
    }
}
