import Configuration
import Foundation
import HTTPClient
import Runtime

/// Says what a server with a configuration would find on this machine and at its sources, without one running.
///
/// It writes nothing, makes no file, takes no lock and opens no disk tier. Sources are asked for one tile each.
package enum InstallationCheck {
    /// All findings, those about layers in the order of the configuration. Ends within the longest timeout of a layer and a
    /// second, and a minute more where many layers ask one host. Blocks for moments.
    package static func findings(_ configuration: Configuration, _ facts: MachineFacts) async throws -> [Finding] {
        let sources = try await SourceCheck().results(configuration.layers)
        return try await sources.findings + local(configuration) + StorageCheck.findings(configuration)
            + MachineCheck.findings(configuration, facts) + [ClockCheck.finding(sources.offsets, time: facts.time)]
            + fleet(configuration)
    }

    /// Redis, and the other nodes.
    private static func fleet(_ configuration: Configuration) async throws -> [Finding] {
        guard let settings = configuration.fleet else { return [] }
        let reactor = try Reactor(label: "doctor fleet")
        let peers = try PeerCheck(settings, client: HTTPClient(reactors: [reactor])) {
            Int(Date.now.timeIntervalSince1970)
        }
        async let redis = RedisCheck(settings, reactor: reactor).findings()
        return await redis + peers.findings()
    }

    /// Layers that need no other server: their files were opened when the configuration was read.
    private static func local(_ configuration: Configuration) -> [Finding] {
        let count = configuration.layers.count { layer in
            guard case .url(let source) = layer.source else { return true }
            return source.isLocal
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
