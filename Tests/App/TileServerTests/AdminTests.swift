import Configuration
import EventLog
import Foundation
import HTTPServer
import Logging
import TestSupport
import Testing

@testable import TileServer

/// Tests of clearing the cache and of access to it (docs/reference/http.md; docs/spec/threats.md T53, T54).
@Suite(.blocking) struct AdminTests {
    @Test(arguments: Way.allCases) func requiresTheExactToken(way: Way) async throws {
        let token = Endpoint.token
        let wrong: [[String]] = [
            [], ["Authorization: Bearer"], ["Authorization: Bearer "], ["Authorization: Bearer \(token)x"],
            ["Authorization: Bearer \(token.dropLast())"], ["Authorization: Bearer \(token.uppercased())"],
            ["Authorization: Basic \(token)"], ["Authorization: \(token)"], ["Authorization: Bearer \(token), x"],
            ["Authorization: Bearer \(token)", "Authorization: Bearer \(token)"],
            ["X-Authorization: Bearer \(token)"],
            ["Authorization: Bearer \(token)\(token)"],
        ]
        // Each case needs a new server, because a server refuses further requests after too many wrong tokens.
        for fields in wrong {
            try await withEndpoint(way) { (endpoint: Endpoint) async throws in
                let response = try await endpoint.ask("DELETE", "/admin/cache/test", fields)
                #expect(response.status == 401, "\(fields)")
                #expect(response["www-authenticate"] == "Bearer" && response["cache-control"] == "no-store")
            }
        }
        try await withEndpoint(way) { (endpoint: Endpoint) async throws in
            #expect(
                try await endpoint.ask("DELETE", "/admin/cache/test", ["authorization: bEARER \(token)"]).status == 200)
        }
    }

    @Test(arguments: Way.allCases) func reportsClearedEntries(way: Way) async throws {
        let layer = CountingLayer()
        try await withEndpoint(way, layer) { (endpoint: Endpoint) async throws in
            for x in 0..<3 { _ = try await endpoint.get("/test/2/\(x)/0.png") }
            let tile = try await endpoint.delete("/admin/cache/test/2/0/0").json
            #expect(tile?["entries"] as? Int == 1)
            let cost = try #require(tile?["bytes"] as? Int)
            let before = try #require(tile?["generation"] as? Int)
            let cleared = try await endpoint.delete("/admin/cache/test").json
            #expect(cleared?["layer"] as? String == "test" && cleared?["generation"] as? Int == before + 1)
            #expect(cleared?["entries"] as? Int == 2 && cleared?["bytes"] as? Int == cost * 2)
            // An empty layer can be cleared too.
            for target in ["/admin/cache/test", "/admin/cache", "/admin/cache/test/2/0/0"] {
                let empty = try await endpoint.delete(target)
                #expect(empty.status == 200 && empty.json?["entries"] as? Int == 0 && empty.json?["bytes"] as? Int == 0)
            }
            #expect(layer.callCount == 3)
            _ = try await endpoint.get("/test/2/0/0.png")
            #expect(layer.callCount == 4)
        }
    }

    @Test(arguments: Way.allCases) func tLayer6TellsClientsToAskAgain(way: Way) async throws {
        try await withEndpoint(way) { (endpoint: Endpoint) async throws in
            func url() async throws -> String? {
                (try await endpoint.get("/test.json").json?["tiles"] as? [String])?.first
            }
            let etag = try await endpoint.get("/test/1/0/0.png")["etag"]
            let before = try await url()
            #expect(try await endpoint.delete("/admin/cache/test").status == 200)
            #expect(try await url() != before)
            // Equal bytes have equal entity tags.
            #expect(try await endpoint.get("/test/1/0/0.png")["etag"] == etag)
        }
    }

    // docs/spec/threats.md T54
    @Test(arguments: Way.allCases) func refusesRequestsOfOtherOrigins(way: Way) async throws {
        try await withEndpoint(way) { (endpoint: Endpoint) async throws in
            for fields in [
                ["Origin: https://evil.example"], ["Origin: null"], ["Sec-Fetch-Site: cross-site"],
                ["Origin: http://test.evil"],
            ] {
                #expect(try await endpoint.delete("/admin/cache/test", fields).status == 403, "\(fields)")
            }
            for fields in [["Origin: http://test"], ["Sec-Fetch-Site: same-origin"], ["Sec-Fetch-Site: none"]] {
                #expect(try await endpoint.delete("/admin/cache/test", fields).status == 200, "\(fields)")
            }
        }
    }

    // docs/spec/threats.md T54
    @Test(arguments: Way.allCases) func hidesAdminRoutesFromOtherOrigins(way: Way) async throws {
        try await withEndpoint(way) { (endpoint: Endpoint) async throws in
            let targets = [
                "/admin/cache", "/admin/cache/test", "/admin/cache/none", "/admin/cache/test/1/0/0",
                "/admin/cache/test/1/2/0",
                "/admin/cache/test/x/y/z", "/admin/cache/%zz", "/admin/nothing",
            ]
            for target in targets {
                for method in ["DELETE", "GET", "POST", "OPTIONS", "HEAD"] {
                    let response = try await endpoint.ask(method, target, ["Authorization: Bearer \(Endpoint.token)"])
                    #expect(!response.fields.contains { $0.name.hasPrefix("access-control-") }, "\(method) \(target)")
                }
            }
        }
    }

    @Test(arguments: Way.allCases) func refusesOtherMethodsForAClear(way: Way) async throws {
        try await withEndpoint(way) { (endpoint: Endpoint) async throws in
            for method in ["GET", "HEAD", "POST"] {
                let response = try await endpoint.ask(
                    method, "/admin/cache/test", ["Authorization: Bearer \(Endpoint.token)"])
                #expect(response.status == 405 && response["allow"]?.contains("DELETE") == true)
            }
            #expect(try await endpoint.delete("/admin/cache/none").status == 404)
            // An empty name is not a layer.
            for method in ["GET", "POST", "DELETE"] {
                let response = try await endpoint.ask(
                    method, "/admin/cache/", ["Authorization: Bearer \(Endpoint.token)"])
                #expect(response.status == 404, "\(method)")
            }
            #expect(try await endpoint.delete("/admin/cache/test/1/2/0").status == 400)
        }
    }

    @Test func generatesATokenReadableByItsOwnerOnly() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "tileserver-\(UUID().uuidString)").path
        defer {
            // A directory left behind in the temporary directory harms no test.
            try? FileManager.default.removeItem(atPath: directory)
        }
        let token = try publishedToken(in: directory)
        let file = try #require(token.file)
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try read(directory) == token.text && token.text.utf8.count == 32)
        token.release()
        #expect(try publishedToken(in: directory).text != token.text)
    }

    private func publishedToken(in directory: String) throws -> AdminToken {
        let token = AdminToken(madeFor: directory)
        try token.publish(port: 1)
        return token
    }

    private func read(_ directory: String) throws -> String? {
        try PublishedToken.candidates(in: directory, port: 1).first?.text
    }

    /// A second server on the same port fails to start and must not remove the token file of the running server.
    @Test func keepsTheTokenOfTheRunningServer() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "tileserver-\(UUID().uuidString)").path
        defer {
            // A directory left behind in the temporary directory harms no test.
            try? FileManager.default.removeItem(atPath: directory)
        }
        var configuration = Configuration(layers: [])
        configuration.server.port = 0
        configuration.cache.directory = directory
        let log = EventLog(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let first = try TileServer(configuration: configuration, log: log)
        let token = try read(directory)
        configuration.server.port = first.port
        #expect(throws: ServerError.self) { try TileServer(configuration: configuration, log: log) }
        #expect(try read(directory) == token && token != nil)
    }
}
