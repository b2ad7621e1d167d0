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
}
