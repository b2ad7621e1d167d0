import Configuration
import Foundation
import TestSupport
import TestTLS
import TestUpstream

@testable import TileServer

/// A tile server with HTTPS, and its certificate.
struct SecureEndpoint: Sendable {
    let endpoint: Endpoint
    let certificate: TestCertificate

    var server: TileServer { endpoint.server }
    var securePort: Int { server.securePort ?? 0 }

    /// Connects a client that accepts only `certificate`, or only `other`.
    func client(_ other: TestCertificate? = nil) throws -> TLSClient {
        try TLSClient(port: securePort, expecting: (other ?? certificate).chain)
    }

    /// Sends a request over TLS.
    func ask(_ method: String, _ target: String, _ fields: [String] = [], body: String = "") throws -> RawResponse {
        let client = try client()
        let length = body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"]
        let host = fields.contains { $0.hasPrefix("Host:") } ? [] : ["Host: test"]
        let lines = ["\(method) \(target) HTTP/1.1"] + host + fields + length
        try client.send(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
        return try client.response(toHead: method == "HEAD")
    }

    func get(_ target: String, _ fields: [String] = []) throws -> RawResponse { try ask("GET", target, fields) }

    /// Sends a request without TLS to the plain port.
    func plain(_ method: String, _ target: String, _ fields: [String] = []) async throws -> RawResponse {
        try await endpoint.ask(method, target, fields)
    }

    /// Returns the lines of the log with the event `name`.
    func events(_ name: String) -> [String] { endpoint.lines.all.filter { $0.contains("\"ev\":\"\(name)\"") } }

    /// Reports whether new connections get `other`.
    func shows(_ other: TestCertificate) -> Bool {
        // A refused certificate is an error of the handshake.
        (try? client(other)) != nil
    }
}

/// Runs `body` with a server that has HTTPS on any free port, and then stops the server. `names` are the DNS names of
/// the certificate.
func withSecureEndpoint(
    names: [String] = ["a.example"], _ change: (inout Configuration, inout HTTPSSettings) -> Void = { _, _ in },
    _ body: (SecureEndpoint) async throws -> Void
) async throws {
    let certificate = try TestCertificate(names: names)
    try await withEndpoint(.socket) { configuration in
        var https = HTTPSSettings(
            certificate: CertificateFiles(certificate: certificate.certificate, key: certificate.key))
        https.port = 0
        change(&configuration, &https)
        configuration.server.https = https
    } _: { endpoint in
        try await body(SecureEndpoint(endpoint: endpoint, certificate: certificate))
    }
}

/// Runs `body` with a server whose plain port leads to HTTPS. `names` are the DNS names of the certificate.
func withRedirect(names: [String], _ body: (SecureEndpoint) async throws -> Void) async throws {
    try await withSecureEndpoint(names: names) { _, https in
        https.redirect = true
    } _: { (secure: SecureEndpoint) async throws in
        try await body(secure)
    }
}
