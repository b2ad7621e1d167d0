import Configuration
import Foundation
import HTTPClient
import Runtime

/// Checks whether a server would work with a configuration on this machine, without a running server. The check
/// requests one tile for each layer with an upstream, unless the layer is offline. It writes no file, takes no lock,
/// and does not open the disk tier.
package enum InstallationCheck {
    /// Returns all findings. Findings about layers are in the order of the configuration. The checks of the layers end
    /// within the longest timeout of a layer plus one second, and one minute later if many layers use the same host.
    /// The checks of the fleet follow. Blocks for short moments.
    package static func findings(_ configuration: Configuration, _ facts: MachineFacts) async throws -> [Finding] {
        let sources = try await SourceCheck().results(configuration.layers)
        return try await sources.findings + local(configuration) + archives(configuration)
            + StorageCheck.findings(configuration)
            + MachineCheck.findings(configuration, facts) + FontCheck.findings(configuration)
            + CertificateCheck.findings(configuration.server.https, time: facts.time) + [
                ClockCheck.finding(sources.offsets, time: facts.time)
            ]
            + fleet(configuration)
    }

    /// Names the archives in the directories of `archives`. The configuration has warned of files that are not served.
    private static func archives(_ configuration: Configuration) -> [Finding] {
        guard !configuration.archives.isEmpty else { return [] }
        var directories = configuration.archiveDirectories
        let found = directories.look(now: Int(Date.now.timeIntervalSince1970)).archives
        let names = found.prefix(16).map(\.name).joined(separator: ", ")
        let more = found.count > 16 ? " and \(found.count - 16) more" : ""
        return [.ok("archives", found.isEmpty ? "no archives" : "\(found.count) can be read: \(names)\(more)")]
    }

    /// Checks Redis and the other nodes of the fleet.
    private static func fleet(_ configuration: Configuration) async throws -> [Finding] {
        guard let settings = configuration.fleet else { return [] }
        let reactor = try Reactor(label: "doctor fleet")
        let peers = try PeerCheck(settings, client: HTTPClient(reactors: [reactor])) {
            Int(Date.now.timeIntervalSince1970)
        }
        async let redis = RedisCheck(settings, reactor: reactor).findings()
        return await redis + peers.findings()
    }

    /// Counts the layers that need no upstream. GeoJSON and MBTiles files were already opened when the configuration
    /// was read.
    private static func local(_ configuration: Configuration) -> [Finding] {
        let count = configuration.layers.count { layer in
            switch layer.source {
            case .url(let source): source.isLocal
            case .pmtiles(let source): source.isLocal
            case .mbtiles, .geojson, .generator, .map, .embedded: true
            }
        }
        guard count > 0 else { return [] }
        return [
            .ok(
                "layers",
                "\(count) \(count == 1 ? "layer is" : "layers are") drawn here or read from files that can be "
                    + "opened")
        ]
    }
}
