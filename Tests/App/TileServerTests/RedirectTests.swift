import Configuration
import Foundation
import HTTPServer
import TestSupport
import TestTLS
import TestUpstream
import Testing

@testable import TileServer

/// Tests of `server.https.redirect`, which sends the clients of the plain port to HTTPS.
@Suite(.blocking) struct RedirectTests {
    private let redirecting: @Sendable (inout Configuration, inout HTTPSSettings) -> Void = { configuration, https in
        https.redirect = true
        configuration.server.publicURL = "https://maps.example/base"
    }

    @Test(arguments: [
        "/", "/test/4/5/6.png", "/test/4/5/6.png?v=1&x=%2F", "/test.json", "/none", "/test/4/5/6.png?",
        "//evil.example/x",
        "/admins", "/metricsx", "/healthy", "/fleet.json", "/.well-known/other", "/a%0d%0aSet-Cookie:%20x", "/\"<>",
    ])
    func redirectsReadsToThePublicURL(target: String) async throws {
        try await withSecureEndpoint(redirecting) { (secure: SecureEndpoint) async throws in
            for method in ["GET", "HEAD"] {
                for host in ["Host: test", "Host: evil.example", "Host: maps.example:1234"] {
                    let response = try await secure.plain(method, target, [host])
                    #expect(response.status == 308, "\(response)")
                    #expect(response["location"] == "https://maps.example/base\(target)")
                }
            }
            // With TLS, the request is answered.
            #expect(try secure.get(target).status != 308)
        }
    }

    @Test func countsRedirectsAsNoErrors() async throws {
        try await withSecureEndpoint { configuration, https in
            redirecting(&configuration, &https)
            configuration.log.access = .errors
        } _: { (secure: SecureEndpoint) async throws in
            #expect(try await secure.plain("GET", "/test/4/5/6.png", ["Host: test"]).status == 308)
            #expect(try secure.get("/none").status == 404)
            #expect(eventuallyBlocking { secure.endpoint.lines.all.contains { $0.contains("\"status\":404") } })
            #expect(!secure.endpoint.lines.all.contains { $0.contains("\"status\":308") })
        }
    }

    @Test func ignoresForwardedHosts() async throws {
        try await withSecureEndpoint(redirecting) { (secure: SecureEndpoint) async throws in
            let fields = ["X-Forwarded-Host: evil.example", "Forwarded: host=evil.example", "X-Forwarded-Proto: https"]
            let response = try await secure.plain("GET", "/a", fields)
            #expect(response["location"] == "https://maps.example/base/a")
            let absolute = try await secure.plain("GET", "http://evil.example/a", ["Host: evil.example"])
            #expect(absolute["location"] == "https://maps.example/base/a", "\(absolute)")
        }
    }

    @Test func redirectsToTheFirstNameOfTheCertificate() async throws {
        try await withRedirect(names: ["*.wild.example", "first.example", "second.example"]) { secure in
            let response = try await secure.plain("GET", "/test/0/0/0.png?a", ["Host: evil.example"])
            #expect(response.status == 308)
            #expect(response["location"] == "https://first.example:\(secure.securePort)/test/0/0/0.png?a")
        }
    }

    @Test func refusesIfTheCertificateHasNoName() async throws {
        try await withRedirect(names: ["*.wild.example"]) { secure in
            let response = try await secure.plain("GET", "/test/0/0/0.png")
            #expect(response.status == 403 && response.problem == "https-required")
        }
    }

    /// A redirect would invite the client to send its token again, and not every client repeats a POST.
    @Test(arguments: [
        ("DELETE", "/admin/cache/test"), ("GET", "/admin"), ("GET", "/admin/status"), ("GET", "/metrics"),
        ("HEAD", "/metrics"), ("POST", "/fleet"), ("GET", "/fleet/messages"), ("POST", "/test/0/0/0.png"),
        ("DELETE", "/"), ("OPTIONS", "/test.json"), ("PUT", "/test.json"), ("GET", "/admin?x"), ("GET", "/admin/"),
    ])
    func refusesOtherRequests(method: String, target: String) async throws {
        try await withSecureEndpoint(redirecting) { (secure: SecureEndpoint) async throws in
            let token = "Authorization: Bearer \(Endpoint.token)"
            let response = try await secure.plain(method, target, [token])
            #expect(response.status == 403, "\(response)")
            if method != "HEAD" { #expect(response.problem == "https-required") }
            #expect(response["location"] == nil)
        }
    }

    @Test func refusesContentBeforeItIsSent() async throws {
        try await withSecureEndpoint(redirecting) { (secure: SecureEndpoint) async throws in
            let client = try RawClient(port: secure.server.port)
            let fields = ["Content-Length: 100", "Expect: 100-continue"]
            try client.send(RawClient.request("POST", "/admin/expire/test", fields))
            #expect(try client.response().status == 403)
            #expect(try client.readToEnd().bytes.isEmpty)
        }
    }

    @Test(arguments: ["/health", "/ready", "/health?x", "/ready?verbose"])
    func answersHealthChecksWithoutTLS(target: String) async throws {
        try await withSecureEndpoint(redirecting) { (secure: SecureEndpoint) async throws in
            #expect(try await secure.plain("GET", target).status == 200)
            #expect(try await secure.plain("HEAD", target).status == 200)
        }
    }

    @Test func beginsAndEndsWithAReload() async throws {
        try await withSecureEndpoint(redirecting) { (secure: SecureEndpoint) async throws in
            var configuration = secure.server.configuration
            for isOn in [false, true] {
                configuration.server.https?.redirect = isOn
                let report = try secure.server.reload(configuration)
                #expect(report.needsRestart.isEmpty)
                await secure.server.server.settle()
                #expect(try await secure.plain("GET", "/test/0/0/0.png").status == (isOn ? 308 : 200))
            }
        }
    }

    /// A URL without TLS is no target: it would lead back to the same port.
    @Test func neverRedirectsToPlainHTTP() async throws {
        try await withSecureEndpoint { configuration, https in
            https.redirect = true
            configuration.server.publicURL = "http://maps.example"
        } _: { (secure: SecureEndpoint) async throws in
            let response = try await secure.plain("GET", "/test/0/0/0.png")
            #expect(response["location"]?.hasPrefix("http:") != true && [308, 403].contains(response.status))
        }
    }
}
