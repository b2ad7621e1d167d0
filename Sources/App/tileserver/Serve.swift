import ArgumentParser
import CLinux
import Configuration
import EventLog
import Foundation
import Logging
import TileCache
import TLS
import TileServer

/// The command `tileserver serve`. It serves tiles until a signal stops it.
struct Serve: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Serve tiles until SIGTERM or SIGINT.")

    @OptionGroup var options: ConfigurationOptions

    func run(_ signals: ServerSignals) async {
        signal(SIGPIPE, SIG_IGN)
        DescriptorLimit.raise()
        // Does not wait for a reader of standard error: the server works without one.
        let complain = { (text: String) in LineWriter.standardError.write(text + "\n") }
        let options = options
        var launch = Launch()
        launch.manager = .ofEnvironment()
        launch.file = ConfigurationFile(path: options.file) { warn throws(ConfigurationErrors) in
            try options.configuration(for: .drawing, warn: warn)
        }
        var warnings: [ConfigurationProblem] = []
        let configuration = options.load(for: .serving, complain) { warnings.append($0) }
        let log = EventLog(
            logger: Logger(label: "tileserver") { _ in LineLogHandler.standardError }, style: .standardError)
        log.follow(configuration.log)
        warnings.forEach(log.record)
        do {
            let sockets = try PassedSockets.take()
            (launch.sockets, launch.secureSockets) = (sockets.requests, sockets.secure)
            launch.metricsSockets = sockets.metrics
            linux_bound_malloc(configuration.memoryPlan(limit: ControlGroup.memoryLimit()).total)
            let server = try TileServer(configuration: configuration, launch: launch, log: log)
            signals.stops.wait()
            LineWriter.standardOutput.write(Greeting.text(for: server, host: configuration.server.host) + "\n")
            if [.text, .coloredText].contains(LogStyle.standardError.format) {
                LineWriter.standardOutput.write(Greeting.events + "\n")
            }
            let watchdog = server.watchdog()
            let reloads = Task {
                for await _ in signals.hangups {
                    // The log has the problems.
                    _ = try? await server.reload()
                }
            }
            await signals.stops.first()
            reloads.cancel()
            await server.stop(signals.stops)
            withExtendedLifetime(watchdog) {}
        } catch {
            complain("tileserver: \(error)")
            // EX_CONFIG, EX_OSERR (sysexits.h).
            let isMistake =
                (error as? DiskStoreError)?.isConfigurationFault
                ?? (error is CertificateFileError || error is MissingCertificateError)
            Foundation.exit(isMistake ? 78 : 71)
        }
    }
}

/// The signals that a server handles. A signal that arrives before this object exists is blocked until then (see
/// CStartup.h).
struct ServerSignals: Sendable {
    /// Signals that stop the server. They end the process at once until the server serves.
    let stops = StopSignals(endsProcess: true)
    /// SIGHUP. A signal is kept until the loop reads it. Several waiting signals count as one.
    let hangups: AsyncStream<Void>
    private let source: SignalSource

    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        hangups = stream
        source = SignalSource(SIGHUP) { continuation.yield() }
    }
}

/// The line that tells a user the server's address, and how to clear a layer.
enum Greeting {
    /// Maximum number of layers and maps that the line names. If there are more, the line has their number.
    private static let mostNamed = 20

    /// The line for people who read the log.
    static let events = "docs/reference/events.md#NAME explains the event NAME of the log"

    static func text(for server: TileServer, host: String) -> String {
        let base = server.address
        let ids = server.layerIDs + server.mapIDs
        let layers =
            ids.count <= mostNamed
            ? ids.joined(separator: ", ")
            : countedLayers(server.layerIDs.count, maps: server.mapIDs.count)
        let token = server.tokenFile.map { "$(cat \($0))" } ?? "$TILESERVER_ADMIN_TOKEN"
        let first = server.layerIDs.first ?? "layer"
        let secure = server.secureAddress.flatMap { $0 == base ? nil : " and \($0)/" } ?? ""
        let others = NetworkAddresses.urls(of: base, host: host)
        let network = others.isEmpty ? "" : ", for other machines \(others.joined(separator: " or "))"
        return "tileserver \(TileServer.version) on \(base)/\(secure)\(network), serves \(layers); to clear a layer: "
            + "curl -X DELETE -H \"Authorization: Bearer \(token)\" \(base)/admin/cache/\(first)"
    }
}

/// The limit of open descriptors of this process.
enum DescriptorLimit {
    /// Raises the soft limit to the hard limit. The usual soft limit is meant for programs that use `select`.
    static func raise() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        // If the system refuses, the server accepts fewer connections.
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
