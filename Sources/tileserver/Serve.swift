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
        // Heard by a source of its own; its default is to end the process.
        signal(SIGHUP, SIG_IGN)
        let stops = StopSignals()
        do {
            let server = try TileServer(configuration: configuration, log: log)
            print(Greeting.text(for: server))
            fflush(nil)
            let hangup = reloading(server, log)
            await stops.first()
            hangup.cancel()
            await server.stop(stops)
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
    static func text(for server: TileServer) -> String {
        let base = server.address
        let layers = (server.layerIDs + server.mapIDs).joined(separator: ", ")
        let token = server.tokenFile.map { "$(cat \($0))" } ?? "$TILESERVER_ADMIN_TOKEN"
        let first = server.layerIDs.first ?? "layer"
        return "tileserver \(TileServer.version) on \(base)/ serves \(layers); to clear a layer: "
            + "curl -X DELETE -H \"Authorization: Bearer \(token)\" \(base)/admin/cache/\(first)"
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
