import Configuration
import EventLog
import Foundation
import MapService
import Synchronization
import TestSupport
import Testing

@testable import HTTPServer
@testable import TileServer

/// Tests of `POST /admin/reload` (docs/reference/http.md; docs/spec/threats.md T48).
@Suite(.blocking) struct AdminReloadTests {
    static let token = "0123456789abcdef-token"

    /// A server that was started with a file. Tests change the text of the file.
    private struct Reloading {
        let server: TileServer
        let directory: TemporaryDirectory
        let lines: LogLines

        static func start(_ text: String) throws -> Reloading {
            let directory = try TemporaryDirectory()
            let path = "\(directory.path)/tileserver.yaml"
            func write(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: path)) }
            try write(Self.text(text, directory))
            let load: ConfigurationFile.Load = { warn throws(ConfigurationErrors) in
                try Configuration.load(path: path, environment: [:], opensSources: true, warn: warn)
            }
            var launch = Launch()
            launch.file = ConfigurationFile(path: path, load: load)
            let lines = LogLines()
            let server = try TileServer(
                configuration: try Configuration.load(path: path, environment: [:]), launch: launch, log: lines.log)
            return Reloading(server: server, directory: directory, lines: lines)
        }

        func write(_ text: String) throws {
            try Data(Self.text(text, directory).utf8).write(to: URL(filePath: "\(directory.path)/tileserver.yaml"))
        }

        private static func text(_ text: String, _ directory: TemporaryDirectory) -> String {
            "\(text)\ncache: { directory: \(directory.path) }\n"
        }

        func ask(_ method: String, _ target: String, token: String = AdminReloadTests.token) throws -> RawResponse {
            let client = try RawClient(port: server.port)
            try client.send(
                "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                    + "\(token)\r\nContent-Length: 0\r\n\r\n"
            )
            return try client.response()
        }

        func reload(token: String = AdminReloadTests.token) throws -> RawResponse {
            try ask("POST", "/admin/reload", token: token)
        }
    }

    private func text(
        server: String = "port: 0", token: String = token, layers: String = "a: { generator: grid }"
    ) -> String {
        "server: { \(server) }\nadmin: { token: \"\(token)\" }\nlayers: { \(layers) }"
    }

    private func serving(_ text: String, _ body: (Reloading) async throws -> Void) async throws {
        let reloading = try Reloading.start(text)
        do {
            try await body(reloading)
        } catch {
            await reloading.server.stop()
            throw error
        }
        await reloading.server.stop()
    }

    @Test func servesLayersOfTheChangedFile() async throws {
        try await serving(text()) { reloading in
            try reloading.write(text(layers: "a: { generator: grid }, b: { generator: grid }"))
            #expect(try RawClient(port: reloading.server.port).get("/b/0/0/0.png").status == 404)
            let answer = try reloading.reload()
            #expect(answer.status == 200 && answer["cache-control"] == "no-store")
            let said = try #require(answer.json)
            #expect(said["layers"] as? Int == 2 && said["maps"] as? Int == 0)
            #expect(said["needsRestart"] as? [String] == [] && (said["warnings"] as? [Any])?.isEmpty == true)
            #expect(try RawClient(port: reloading.server.port).get("/b/0/0/0.png").status == 200)
        }
    }

    @Test func reportsKeysThatNeedARestart() async throws {
        try await serving(text()) { reloading in
            let changed = text(
                server: "port: 9, reactors: 2, limits: { connections: 9, headTimeout: 9s }, drainDelay: 9s")
            for _ in 0..<2 {
                try reloading.write(changed)
                let needs = try reloading.reload().json?["needsRestart"] as? [String]
                #expect(needs == ["server.port", "server.reactors", "server.limits.connections"])
            }
            let line = reloading.lines.all.last { $0.contains("\"ev\":\"reload\"") }
            #expect(
                line?.contains("\"needs_restart\":\"server.port server.reactors server.limits.connections\"") == true)
            try reloading.write(text())
            #expect(try reloading.reload().json?["needsRestart"] as? [String] == [])
        }
    }

    @Test func reportsEveryMistakeAndKeepsServing() async throws {
        try await serving(text()) { reloading in
            try reloading.write(text(server: "prot: 1", layers: "b: { generator: grid, maxZoom: 99 }"))
            let answer = try reloading.reload()
            #expect(answer.status == 422 && answer.problem == "invalid-configuration")
            #expect(answer["x-problem"] == "invalid-configuration" && answer["access-control-allow-origin"] == nil)
            let mistakes = try #require(answer.json?["mistakes"] as? [[String: Any]])
            #expect(mistakes.map { $0["key"] as? String } == ["server.prot", "layers.b.maxZoom"])
            #expect(mistakes.map { $0["line"] as? Int } == [1, 3])
            #expect(mistakes.allSatisfy { ($0["column"] as? Int ?? 0) > 1 })
            #expect(mistakes.allSatisfy { ($0["file"] as? String)?.hasSuffix("/tileserver.yaml") == true })
            #expect(mistakes[1]["text"] as? String == "99 is above 30")
            #expect(try RawClient(port: reloading.server.port).get("/a/0/0/0.png").status == 200)
            #expect(reloading.server.layerIDs == ["a"])
            #expect(reloading.lines.all.filter { $0.contains("\"ev\":\"config_error\"") }.count == 2)
        }
    }

    @Test func reportsAMissingFile() async throws {
        try await serving(text()) { reloading in
            try FileManager.default.removeItem(atPath: "\(reloading.directory.path)/tileserver.yaml")
            let answer = try reloading.reload()
            #expect(answer.status == 422)
            let mistakes = try #require(answer.json?["mistakes"] as? [[String: Any]])
            #expect(mistakes.count == 1 && mistakes[0]["line"] == nil)
            #expect((mistakes[0]["text"] as? String)?.contains("No such file") == true)
            #expect(reloading.server.layerIDs == ["a"])
        }
    }

    @Test func refusesAReloadWithoutAFile() async throws {
        try await withEndpoint(.socket) { endpoint in
            let fields = ["Authorization: Bearer \(Endpoint.token)", "Content-Length: 0"]
            let answer = try await endpoint.ask("POST", "/admin/reload", fields)
            #expect(answer.status == 409 && answer.problem == "no-configuration-file")
        }
    }

    @Test(arguments: Way.allCases) func requiresTokenAndPOST(way: Way) async throws {
        try await withEndpoint(way) { endpoint in
            #expect(try await endpoint.ask("POST", "/admin/reload", ["Content-Length: 0"]).status == 401)
            let fields = ["Authorization: Bearer \(Endpoint.token)"]
            for method in ["GET", "DELETE"] {
                let answer = try await endpoint.ask(method, "/admin/reload", fields)
                #expect(answer.status == 405 && answer["allow"] == "POST, OPTIONS")
            }
            let posts = fields + ["Content-Length: 0"]
            #expect(try await endpoint.ask("POST", "/admin/reload?x=1", posts).problem == "bad-parameter")
            #expect(
                try await endpoint.ask("POST", "/admin/reload", posts + ["Sec-Fetch-Site: cross-site"]).status == 403)
        }
    }

    // MARK: The token

    @Test func replacesTheToken() async throws {
        let other = "another-token-of-16"
        try await serving(text()) { reloading in
            try reloading.write(text(token: other))
            #expect(try reloading.reload().status == 200)
            #expect(try reloading.ask("GET", "/admin/cache").status == 401)
            #expect(try reloading.ask("GET", "/admin/cache", token: other).status == 200)
            // A file with mistakes does not change the token.
            try reloading.write(text(server: "prot: 1"))
            #expect(try reloading.reload(token: other).status == 422)
            #expect(try reloading.ask("GET", "/admin/cache", token: other).status == 200)
        }
    }

    @Test func keepsAGeneratedToken() async throws {
        try await serving("server: { port: 0 }\nlayers: { a: { generator: grid } }") { reloading in
            let made = try #require(try PublishedToken.candidates(in: reloading.directory.path, port: 1).first?.text)
            #expect(try reloading.reload(token: made).status == 200)
            #expect(try reloading.reload(token: made).status == 200)
            #expect(try PublishedToken.candidates(in: reloading.directory.path, port: 1).first?.text == made)
        }
    }

    /// The server makes a new token, so the token from its start is not valid again.
    @Test func generatesANewTokenIfTheFileHasNone() async throws {
        try await serving("server: { port: 0 }\nlayers: { a: { generator: grid } }") { reloading in
            let first = try #require(try PublishedToken.candidates(in: reloading.directory.path, port: 1).first?.text)
            try reloading.write(text())
            #expect(try reloading.reload(token: first).status == 200)
            #expect(reloading.server.tokenFile == nil)
            try reloading.write("server: { port: 0 }\nlayers: { a: { generator: grid } }")
            #expect(try reloading.reload().status == 200)
            #expect(try reloading.reload().status == 401 && reloading.reload(token: first).status == 401)
            let second = try #require(try PublishedToken.candidates(in: reloading.directory.path, port: 1).first?.text)
            #expect(try reloading.reload(token: second).status == 200 && reloading.server.tokenFile != nil)
        }
    }

    // MARK: What follows

    @Test func appliesLimitsAfterAReload() async throws {
        try await serving(text()) { reloading in
            let client = try RawClient(port: reloading.server.port)
            let long = "/a/0/0/0.png?" + String(repeating: "x", count: 300)
            #expect(try client.get(long).status == 200)
            try reloading.write(text(server: "port: 0, limits: { requestLine: 256 }"))
            #expect(try reloading.reload().json?["needsRestart"] as? [String] == [])
            #expect(try client.get(long).status == 414)
        }
    }

    /// Reloads at the same time run one after the other, and each reads the whole file.
    @Test func runsConcurrentReloadsOneByOne() async throws {
        try await serving(text()) { reloading in
            let server = reloading.server
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<8 { group.addTask { try await server.reload().layers } }
                for try await layers in group { #expect(layers == 1) }
            }
            #expect(reloading.lines.all.filter { $0.contains("\"ev\":\"reload\"") }.count == 8)
        }
    }

    @Test func refusesAReloadWhileStopping() async throws {
        try await serving(text()) { reloading in
            await reloading.server.stop()
            await #expect(throws: ReloadError.self) { try await reloading.server.reload() }
        }
    }
}
