import ArgumentParser
import CLinux
import Configuration
import Dispatch
import EventLog
import Foundation
import Logging
import TileCache
import TileServer

/// `tileserver serve`: serves until a signal says stop.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Serve tiles until SIGTERM or SIGINT.")

    @OptionGroup var options: ConfigurationOptions

    func run() async {
        linux_tune_malloc()
        signal(SIGPIPE, SIG_IGN)
        DescriptorLimit.raise()
        let configuration = options.load()
        var logger = Logger(label: "tileserver") { _ in JSONLogHandler() }
        logger.logLevel = .info
        let log = EventLog(logger: logger)
        let stops = StopSignals()
        do {
            let server = try TileServer(configuration: configuration, log: log)
            print(Greeting.text(for: server, configuration))
            fflush(nil)
            let hangup = reloading(server, log)
            await stops.first()
            hangup.cancel()
            stops.exitOnNext()
            log.write("shutdown", ["inflight": .stringConvertible(server.connectionCount)])
            await server.stop()
        } catch {
            complain("tileserver: \(error)")
            // EX_CONFIG, EX_OSERR (sysexits.h).
            let isMistake = (error as? DiskStoreError)?.isConfigurationFault ?? false
            Foundation.exit(isMistake ? 78 : 71)
        }
    }
}

extension Serve {
    /// Reads the configuration again at each SIGHUP; one with mistakes changes nothing.
    private func reloading(_ server: TileServer, _ log: EventLog) -> any DispatchSourceSignal {
        let options = options
        let source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: DispatchQueue(label: "reload"))
        source.setEventHandler {
            do {
                try server.reload(try options.configuration())
            } catch let errors as ConfigurationErrors {
                for problem in errors.problems { log.record("config_error", level: .error, ["problem": "\(problem)"]) }
            } catch {
                log.record("config_error", level: .error, ["problem": "\(error)"])
            }
        }
        source.activate()
        return source
    }
}

/// The one line that says where the server is and what to do with it.
enum Greeting {
    static func text(for server: TileServer, _ configuration: Configuration) -> String {
        let base = base(server, configuration)
        let layers = (server.layerIDs + server.mapIDs).joined(separator: ", ")
        let token = server.tokenFile.map { "$(cat \($0))" } ?? "$TILESERVER_ADMIN_TOKEN"
        let first = server.layerIDs.first ?? "layer"
        return "tileserver \(TileServer.version) on \(base)/ serves \(layers); to clear a layer: "
            + "curl -X DELETE -H \"Authorization: Bearer \(token)\" \(base)/admin/cache/\(first)"
    }

    private static func base(_ server: TileServer, _ configuration: Configuration) -> String {
        let host = configuration.server.host
        // An address that means "all" is no address to go to.
        let reachable = host == "0.0.0.0" || host == "::" ? "localhost" : host
        return "http://\(reachable.contains(":") ? "[\(reachable)]" : reachable):\(server.port)"
    }
}

/// How many descriptors this process may have.
enum DescriptorLimit {
    /// Takes what the system allows: the usual soft limit is meant for programs that use `select`.
    static func raise() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        // Refused: the server then takes fewer connections.
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}

/// SIGTERM and SIGINT as something to wait for. A class to own the signal sources.
final class StopSignals: @unchecked Sendable {
    // Invariant behind @unchecked: `sources` is only kept alive, never touched again.
    private let stream: AsyncStream<Void>
    private let sources: [any DispatchSourceSignal]

    /// From here on the signals no longer end the process by themselves.
    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        self.stream = stream
        // Heard by a source of its own; its default is to end the process.
        signal(SIGHUP, SIG_IGN)
        sources = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { continuation.yield() }
            source.activate()
            return source
        }
    }

    func first() async {
        for await _ in stream { return }
    }

    /// Whoever asks twice does not want to wait: ends the process at the next signal.
    func exitOnNext() {
        let stream = stream
        Task {
            for await _ in stream { Foundation.exit(0) }
        }
    }
}
