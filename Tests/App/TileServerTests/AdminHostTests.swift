import Foundation
import TestSupport
import Testing

@testable import TileServer

/// Refuses admin requests by their Host, to block a web page whose name was made to resolve to this server (DNS
/// rebinding, docs/spec/threats.md T54).
@Suite(.blocking) struct AdminHostTests {
    private static let own = [
        "localhost", "LocalHost:8080", "localhost.", "localhost.:80", "127.0.0.1", "127.0.0.1:8080", "192.0.2.7",
        "[::1]",
        "[::1]:8080", "[2001:DB8::1]", "Maps.example.org", "maps.example.org:8443", "tiles.internal",
        "TILES.internal.:1",
    ]
    private static let foreign = [
        "evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example",
        "maps.example.org.evil.example",
        "xmaps.example.org", "example.org", "127.1", "0x7f.0.0.1", "[::1", "[maps.example.org]x", "127.0.0.1..",
        "tiles.internal..",
    ]

    @Test(arguments: own) func acceptsOwnHosts(host: String) {
        #expect(OwnHosts(names: ["tiles.internal"], publicURL: "HTTPS://Maps.Example.org:8443/a").contains(host))
    }

    @Test(arguments: foreign) func refusesForeignHosts(host: String) {
        #expect(!OwnHosts(names: ["tiles.internal"], publicURL: "https://maps.example.org/a").contains(host))
    }

    @Test(arguments: Way.allCases) func refusesAdminRoutesForAForeignHost(way: Way) async throws {
        try await withEndpoint(way, CountingLayer(), { $0.admin.hosts = ["tiles.internal"] }) {
            (endpoint: Endpoint) async throws in
            let token = "Authorization: Bearer \(Endpoint.token)"
            for target in ["/admin/cache/test", "/admin/cache", "/admin/nothing", "/admin"] {
                for method in ["DELETE", "GET", "POST", "OPTIONS"] {
                    let answer = try await endpoint.ask(method, target, ["Host: evil.example", token])
                    #expect(answer.status == 421 && answer.problem == "foreign-host", "\(method) \(target)")
                    #expect(!answer.fields.contains { $0.name.hasPrefix("access-control-") })
                }
            }
            #expect(endpoint.lines.all.contains { $0.contains("admin_denied") && $0.contains("\"why\":\"host\"") })
            for host in ["tiles.internal:1234", "127.0.0.1"] {
                #expect(try await endpoint.ask("DELETE", "/admin/cache/test", ["Host: \(host)", token]).status == 200)
            }
            // Public routes are served for any Host.
            #expect(try await endpoint.get("/test.json", ["Host: evil.example"]).status == 200)
        }
    }

    @Test func appliesHostsAfterAReload() async throws {
        try await withEndpoint(.memory) { (endpoint: Endpoint) async throws in
            let fields = ["Host: new.internal"]
            #expect(try await endpoint.delete("/admin/cache/test", fields).status == 421)
            var next = endpoint.server.configuration
            next.admin.hosts = ["new.internal"]
            try endpoint.server.reload(next)
            #expect(try await endpoint.delete("/admin/cache/test", fields).status == 200)
            #expect(endpoint.lines.all.contains { $0.contains("\"needs_restart\":\"\"") })
        }
    }
}
