import Bytes
import Configuration
import Foundation
import TestSupport
import Testing

@testable import HTTPServer
@testable import TileServer

/// Tests of cached documents: a client never gets a document of another host or from before a clear.
@Suite(.blocking) struct DocumentTests {
    private static let targets = ["/layers.json", "/test.json", "/second.json"]

    private func serving(_ way: Way, _ body: (Endpoint) async throws -> Void) async throws {
        try await withEndpoint(way) {
            $0.layers.append(LayerSettings(id: "second", source: .embedded))
            $0.layers[0].description = "base- \"<a> &\\ \u{E9}"
        } _: { (endpoint: Endpoint) async throws in
            try await body(endpoint)
        }
    }

    @Test(arguments: Way.allCases) func separatesDocumentsByHost(way: Way) async throws {
        try await serving(way) { endpoint in
            for round in 0..<3 {
                // The test uses more hosts than the cache keeps.
                for host in 0..<20 {
                    for target in Self.targets {
                        let response = try await endpoint.get(target, ["Host: host\(host).example:80"])
                        #expect(response.status == 200)
                        let hosts = response.text.matches(of: /host(\d+)\.example:80/).map { $0.1 }
                        #expect(!hosts.isEmpty && hosts.allSatisfy { $0 == "\(host)" }, "\(target) round \(round)")
                    }
                }
            }
            let document = try #require(try await endpoint.get("/test.json", ["Host: a"]).json)
            #expect(document["description"] as? String == "base- \"<a> &\\ \u{E9}")
        }
    }

    @Test(arguments: Way.allCases) func answers304ForAnUnchangedDocument(way: Way) async throws {
        try await serving(way) { endpoint in
            for target in Self.targets {
                let first = try await endpoint.get(target)
                let tag = try #require(first["etag"])
                #expect(try await endpoint.get(target)["etag"] == tag)
                #expect(try await endpoint.get(target, ["Host: other"])["etag"] != tag)
                #expect(first["cache-control"] == "no-cache" && first["vary"]?.hasPrefix("Host") == true)
                let second = try await endpoint.get(target, ["If-None-Match: W/\(tag)"])
                #expect(second.status == 304 && second.body.isEmpty && second["etag"] == tag)
                #expect(second["vary"] == first["vary"])
                let head = try await endpoint.ask("HEAD", target)
                #expect(head["etag"] == tag && head["content-length"] == first["content-length"])
            }
        }
    }

    /// After a clear, every document that names the layer changes at once for every host.
    @Test(arguments: Way.allCases) func changesDocumentsAfterAClear(way: Way) async throws {
        try await serving(way) { endpoint in
            for round in 0..<3 {
                for host in ["a", "b"] {
                    for target in Self.targets { _ = try await endpoint.get(target, ["Host: \(host)"]) }
                }
                let cleared = try await endpoint.delete("/admin/cache/test")
                let generation = try #require(cleared.json?["generation"] as? Int)
                for host in ["a", "b"] {
                    for target in Self.targets where target != "/second.json" {
                        let text = try await endpoint.get(target, ["Host: \(host)"]).text
                        #expect(text.contains("v=\(generation)"), "\(target) round \(round)")
                    }
                }
            }
        }
    }

    @Test func changesDocumentsAfterAReload() async throws {
        try await serving(.memory) { endpoint in
            let before = try await endpoint.get("/layers.json")
            var configuration = endpoint.server.configuration
            configuration.layers[1].name = "Renamed"
            try endpoint.server.reload(configuration)
            let after = try await endpoint.get("/layers.json")
            #expect(after["etag"] != before["etag"] && after.text.contains("Renamed"))
            #expect(try await endpoint.get("/second.json").json?["name"] as? String == "Renamed")
        }
    }

    /// The base URL is escaped as JSON requires, whatever text an embedding program sets.
    @Test func escapesTheBaseURL() async throws {
        try await withEndpoint(.memory) {
            $0.server.publicURL = "http://a/\"<&\\"
        } _: { (endpoint: Endpoint) async throws in
            let url = (try await endpoint.get("/test.json").json?["tiles"] as? [String])?.first
            #expect(url?.hasPrefix("http://a/\"<&\\/test/") == true)
        }
    }

    @Test func fillsEveryGap() {
        for (count, text) in [(0, "none"), (1, "*"), (3, "*a**"), (2, "é*\u{0}*z")] {
            let template = DocumentTemplate { SharedBytes(text.replacingOccurrences(of: "*", with: $0)) }
            let filled = template.filled(with: "http://b/é")
            #expect(filled.text == text.replacingOccurrences(of: "*", with: "http://b/é"), "\(count) gaps")
        }
    }
}
