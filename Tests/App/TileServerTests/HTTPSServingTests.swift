import Configuration
import EventLog
import Foundation
import TestSupport
import TestTLS
import TestUpstream
import Testing

@testable import TileServer

/// Tests of tiles, documents and metrics over HTTPS.
@Suite(.blocking) struct HTTPSServingTests {
    @Test func servesTilesOnBothPorts() async throws {
        try await withSecureEndpoint { (secure: SecureEndpoint) async throws in
            #expect(secure.server.port != secure.securePort)
            #expect(secure.server.address == "http://127.0.0.1:\(secure.server.port)")
            #expect(secure.server.secureAddress == "https://127.0.0.1:\(secure.securePort)")
            #expect(try secure.get("/test/4/5/6.png").text == "4/5/6")
            #expect(try await secure.plain("GET", "/test/4/5/6.png").text == "4/5/6")
            #expect(try secure.get("/health").status == 200)
            #expect(try secure.get("/none/0/0/0.png").problem == "unknown-layer")
            let deleted = try secure.ask(
                "DELETE", "/admin/cache/test", ["Authorization: Bearer \(Endpoint.token)"])
            #expect(deleted.status == 200)
            #expect(try secure.ask("DELETE", "/admin/cache/test").status == 401)
        }
    }

    @Test func servesHTTPSAlone() async throws {
        try await withSecureEndpoint { configuration, _ in
            configuration.server.port = nil
        } _: { (secure: SecureEndpoint) async throws in
            #expect(secure.server.port == secure.securePort)
            #expect(secure.server.address == "https://127.0.0.1:\(secure.securePort)")
            #expect(secure.server.secureAddress == secure.server.address)
            #expect(try secure.get("/test/0/0/0.png").status == 200)
        }
    }

    @Test func sendsEventsOverTLS() async throws {
        try await withSecureEndpoint { (secure: SecureEndpoint) async throws in
            let client = try secure.client()
            try client.send(RawClient.request("GET", "/events"))
            #expect(try client.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
            #expect(
                try secure.ask("DELETE", "/admin/cache/test", ["Authorization: Bearer \(Endpoint.token)"]).status == 200
            )
            _ = try client.read(until: "\"test\"")
        }
    }

    // MARK: Documents

    @Test(arguments: ["/test.json", "/index.json", "/wmts.xml", "/style.json"])
    func namesTheSchemeAndThePortOfTheRequest(target: String) async throws {
        try await withSecureEndpoint { (secure: SecureEndpoint) async throws in
            let host = "Host: maps.example:\(secure.securePort)"
            let response = try secure.get(target, [host])
            guard response.status == 200 else {
                // This server has no such document.
                #expect(target != "/test.json")
                return
            }
            let text = response.text.replacingOccurrences(of: "\\/", with: "/")
            #expect(text.contains("https://maps.example:\(secure.securePort)/"), "\(text)")
            #expect(!text.contains("http://maps.example"))
            let plain = try await secure.plain("GET", target, ["Host: maps.example:80"])
            let plainText = plain.text.replacingOccurrences(of: "\\/", with: "/")
            #expect(plainText.contains("http://maps.example") && !plainText.contains("https://maps.example"))
        }
    }

    @Test func prefersThePublicURLInDocuments() async throws {
        try await withSecureEndpoint { configuration, _ in
            configuration.server.publicURL = "https://maps.example/x"
        } _: { (secure: SecureEndpoint) async throws in
            for response in [try secure.get("/test.json"), try await secure.plain("GET", "/test.json")] {
                let tiles = response.json?["tiles"] as? [String]
                #expect(tiles?.first?.hasPrefix("https://maps.example/x/test/") == true, "\(response.text)")
            }
        }
    }

    /// A trusted proxy that speaks TLS to this server may have a client without TLS.
    @Test func believesATrustedProxyOverTLS() async throws {
        try await withSecureEndpoint { configuration, _ in
            configuration.server.trustedProxies = [AddressBlock("127.0.0.0/8")].compactMap(\.self)
        } _: { (secure: SecureEndpoint) async throws in
            func first(_ fields: [String]) throws -> String? {
                (try secure.get("/test.json", fields).json?["tiles"] as? [String])?.first
            }
            #expect(try first([])?.hasPrefix("https://test/") == true)
            #expect(try first(["X-Forwarded-Proto: http"])?.hasPrefix("http://test/") == true)
        }
    }

    // MARK: HSTS

    @Test func sendsHSTSOnlyOverTLS() async throws {
        try await withSecureEndpoint { _, https in
            https.hsts = .seconds(180 * 86_400)
        } _: { (secure: SecureEndpoint) async throws in
            for target in ["/health", "/test/0/0/0.png", "/test/99/0/0.png", "/nothing", "/test.json"] {
                #expect(try secure.get(target)["strict-transport-security"] == "max-age=15552000", "\(target)")
                let plain = try await secure.plain("GET", target)
                #expect(!plain.fields.contains { $0.name == "strict-transport-security" }, "\(target)")
            }
        }
    }

    @Test func endsHSTSWithZeroAndSendsNoneByDefault() async throws {
        try await withSecureEndpoint { (secure: SecureEndpoint) async throws in
            #expect(try secure.get("/health")["strict-transport-security"] == nil)
            var configuration = secure.server.configuration
            configuration.server.https?.hsts = .zero
            try secure.server.reload(configuration)
            await secure.server.server.settle()
            #expect(try secure.get("/health")["strict-transport-security"] == "max-age=0")
        }
    }

    // MARK: Plain HTTP at the port for TLS

    @Test(arguments: ["GET", "POST"])
    func explainsPlainHTTPAtTheSecurePort(method: String) async throws {
        try await withSecureEndpoint { _, https in
            https.hsts = .seconds(60)
        } _: { (secure: SecureEndpoint) async throws in
            let client = try RawClient(port: secure.securePort)
            try client.send(RawClient.request(method, "/test/0/0/0.png"))
            let response = try client.response()
            #expect(response.status == 400 && response.problem == "https-expected")
            #expect(response["connection"] == "close" && response["strict-transport-security"] == nil)
            #expect(try client.readToEnd().end == .closed)
        }
    }

    // MARK: Metrics

    @Test func countsHandshakesAndTellsTheExpiry() async throws {
        try await withSecureEndpoint { configuration, _ in
            configuration.metrics.isPublic = true
        } _: { (secure: SecureEndpoint) async throws in
            for _ in 0..<3 { #expect(try secure.get("/health").status == 200) }
            let plain = try RawClient(port: secure.securePort)
            try plain.send(RawClient.request("GET", "/"))
            _ = try plain.readToEnd()
            let page = try Exposition(try await secure.plain("GET", "/metrics").text)
            func value(_ name: String, _ labels: [String: String]) -> Double? {
                page.samples.first { $0.name == name && $0.labels == labels }?.value
            }
            #expect(value("tileserver_tls_handshakes_total", ["result": "full"]) == 3)
            #expect(value("tileserver_tls_handshakes_total", ["result": "plain"]) == 1)
            for result in ["resumed", "failed", "timeout"] {
                #expect(value("tileserver_tls_handshakes_total", ["result": result]) == 0)
            }
            let path = ["path": secure.certificate.certificate]
            let expires = try #require(value("tileserver_certificate_expires_timestamp_seconds", path))
            let hours = (expires - Date().timeIntervalSince1970) / 3_600
            #expect((22.0...24.0).contains(hours))
            let own = secure.server.metrics()
            #expect(own.handshakes["full"] == 3 && own.certificates.map(\.expires) == [Int(expires)])
        }
    }

    @Test func hasNoMetricsOfTLSWithoutHTTPS() async throws {
        try await withEndpoint(.socket) {
            $0.metrics.isPublic = true
        } _: { endpoint in
            #expect(endpoint.server.securePort == nil && endpoint.server.secureAddress == nil)
            let text = try await endpoint.get("/metrics").text
            #expect(!text.contains("_tls_") && !text.contains("_certificate_"))
        }
    }

    // MARK: Starts that fail

    @Test func refusesToStartWithoutAPort() throws {
        #expect(throws: TileServerError.self) {
            try TileServer(port: 0, layers: [], logger: .silent) { $0.server.port = nil }
        }
        #expect(throws: TileServerError.self) {
            let certificate = try TestCertificate()
            _ = try TileServer(port: 0, layers: [], logger: .silent) {
                $0.server.https = HTTPSSettings(
                    certificate: CertificateFiles(certificate: certificate.certificate, key: certificate.key))
                $0.server.https?.port = 65_536
            }
        }
    }
}
