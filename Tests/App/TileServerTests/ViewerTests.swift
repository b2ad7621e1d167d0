import Configuration
import Foundation
import TestSupport
import Testing

@testable import HTTPServer
@testable import TileServer

/// Tests of the map page that a browser gets at the server's address (docs/reference/http.md, "The map").
@Suite(.blocking) struct ViewerTests {
    /// The `Accept` fields that Chromium and Firefox send for an address in the address bar.
    static let browsers = [
        "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8",
        "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    ]
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
        + "worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    @Test(arguments: Way.allCases) func servesThePageForServerAndLayers(way: Way) async throws {
        try await withEndpoint(way) { (endpoint: Endpoint) async throws in
            let root = try await endpoint.get("/")
            #expect(root.status == 200 && root.text.contains("<script type=\"module\" src=\"assets/main.js\">"))
            for accept in Self.browsers {
                for target in ["/", "/test", "/t%65st?flat", "/test?a=b"] {
                    let page = try await endpoint.get(target, [accept])
                    #expect(page.status == 200 && page.body == root.body, "\(target)")
                    #expect(page["content-type"] == "text/html; charset=utf-8" && page["cache-control"] == "no-cache")
                    #expect(page["vary"] == "Accept, Accept-Encoding")
                }
            }
        }
    }

    @Test(arguments: Way.allCases) func servesTheFilesOfThePage(way: Way) async throws {
        try await withEndpoint(way) { (endpoint: Endpoint) async throws in
            let kinds = [
                ("main.js", "text/javascript; charset=utf-8"), ("events/worker.js", "text/javascript; charset=utf-8"),
                ("viewer.css", "text/css; charset=utf-8"), ("favicon.svg", "image/svg+xml"),
            ]
            for (name, kind) in kinds {
                let file = try await endpoint.get("/assets/\(name)")
                #expect(file.status == 200 && file["content-type"] == kind && !file.body.isEmpty)
                #expect(file["vary"] == "Accept-Encoding" && file["cache-control"] == "no-cache")
                #expect(file["content-security-policy"] == Self.policy && file["referrer-policy"] == "no-referrer")
                #expect(file["x-content-type-options"] == "nosniff" && file["etag"]?.hasPrefix("\"") == true)
            }
            #expect(try await endpoint.get("/favicon.ico")["content-type"] == "image/svg+xml")
            for target in [
                "/assets/index.html", "/assets/none.js", "/assets/", "/assets", "/assets/events", "/main.js",
            ] {
                #expect(try await endpoint.get(target).problem == "unknown-route", "\(target)")
            }
            #expect(try await endpoint.ask("POST", "/assets/main.js").status == 405)
        }
    }

    /// The compressed and the plain file have different entity tags. A client with the right tag gets a 304.
    @Test(arguments: Way.allCases) func compressesForClientsThatAcceptGzip(way: Way) async throws {
        try await withEndpoint(way) { (endpoint: Endpoint) async throws in
            for target in ["/", "/test", "/assets/main.js", "/assets/viewer.css"] {
                let plain = try await endpoint.get(target, [Self.browsers[0]])
                #expect(plain["content-encoding"] == nil)
                for coding in ["gzip", "br, GZIP;q=0.5", "*", "identity;q=0.1, *;q=1"] {
                    let small = try await endpoint.get(target, [Self.browsers[0], "Accept-Encoding: \(coding)"])
                    #expect(small["content-encoding"] == "gzip" && small.body.count < plain.body.count)
                    #expect(small.body.starts(with: [0x1F, 0x8B]) && small["etag"] != plain["etag"])
                    let tag = try #require(small["etag"])
                    let known = [Self.browsers[0], "Accept-Encoding: \(coding)", "If-None-Match: \(tag)"]
                    let unchanged = try await endpoint.get(target, known)
                    #expect(unchanged.status == 304 && unchanged.body.isEmpty && unchanged["etag"] == tag)
                    let head = try await endpoint.ask("HEAD", target, Array(known.dropLast()))
                    #expect(head["content-length"] == "\(small.body.count)" && head.body.isEmpty)
                }
                for coding in ["gzip;q=0", "br", "identity", "gzip;q=0, *"] {
                    let whole = try await endpoint.get(target, [Self.browsers[0], "Accept-Encoding: \(coding)"])
                    #expect(whole["content-encoding"] == nil && whole.body == plain.body)
                }
            }
        }
    }

    @Test(arguments: Way.allCases) func answersJSONToPrograms(way: Way) async throws {
        try await withEndpoint(way) { (endpoint: Endpoint) async throws in
            for accept in [
                [], ["Accept: */*"], ["Accept: application/json"], ["Accept: application/json, text/html"],
                ["Accept: text/html;q=0.5, application/json"], ["Accept: text/html;q=0"],
            ] {
                for target in ["/test", "/none", "/a/b"] {
                    let response = try await endpoint.get(target, accept)
                    #expect(response.status == 404 && response.problem == "unknown-route", "\(target) \(accept)")
                    #expect(response["vary"] == "Accept, Sec-Fetch-Dest")
                }
            }
        }
    }

    @Test(arguments: Way.allCases) func answersAPageToBrowsersForUnknownPaths(way: Way) async throws {
        try await withEndpoint(way) { (endpoint: Endpoint) async throws in
            for (target, root) in [("/none", "./"), ("/none/", "../"), ("/a/b/c", "../../"), ("/assets/x.js", "../")] {
                let page = try await endpoint.get(target, [Self.browsers[0]])
                #expect(page.status == 404 && page["content-type"] == "text/html; charset=utf-8", "\(target)")
                #expect(page.text.contains("<a href=\"\(root)\">") && !page.text.contains("{root}"))
                #expect(page["content-security-policy"] == Self.policy && page["cache-control"] == "no-store")
            }
            // The path is too deep for any route.
            #expect(try await endpoint.get("/a/b/c/d/e/f/g/h", [Self.browsers[0]]).problem == "unknown-route")
            // Responses to scripts are not replaced by a page.
            #expect(try await endpoint.get("/none.json", [Self.browsers[0]]).problem == "unknown-layer")
        }
    }

    /// The server contains the current files of the folder web.
    @Test func matchesTheFilesOfTheFolder() async throws {
        let web = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../web").standardized
        try await withEndpoint(.memory) { (endpoint: Endpoint) async throws in
            for (target, path) in [
                ("/", "index.html"), ("/assets/main.js", "bundles/main.js"), ("/assets/viewer.css", "viewer.css"),
                ("/assets/events/worker.js", "bundles/events/worker.js"), ("/assets/favicon.svg", "favicon.svg"),
            ] {
                let kept = try [UInt8](Data(contentsOf: web.appending(path: path)))
                #expect(try await endpoint.get(target).body == kept, "\(path)")
            }
        }
    }
}
