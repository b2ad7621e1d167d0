import Configuration
import Foundation
import HTTPServer
import TestSupport
import TestTLS
import TestUpstream
import Testing

@testable import TileServer

/// Tests for the target of the redirect to HTTPS.
@Suite(.blocking) struct RedirectTargetTests {
    /// Picks a port that is free now. Another process may take it, so the caller tries again.
    private func freePort() -> Int { Int.random(in: 20_000...32_000) }

    /// Runs `body` with a redirecting server whose port for HTTPS has a number in the configuration.
    private func withFixedPort(names: [String], _ body: (SecureEndpoint, Int) async throws -> Void) async throws {
        for attempt in 1...20 {
            let port = freePort()
            do {
                try await withSecureEndpoint(names: names) { _, https in
                    (https.redirect, https.port) = (true, port)
                } _: { (secure: SecureEndpoint) async throws in
                    try await body(secure, port)
                }
                return
            } catch let error as ServerError {
                guard attempt < 20 else { throw error }
            }
        }
    }

    /// The redirect would otherwise lead to a name that no certificate has.
    @Test func followsTheNameOfARenewedCertificate() async throws {
        try await withFixedPort(names: ["old.example"]) { secure, port in
            let next = try TestCertificate(names: ["new.example"])
            try secure.certificate.become(next)
            #expect(eventuallyBlocking { secure.shows(next) })
            let response = try await secure.plain("GET", "/a")
            #expect(response["location"] == "https://new.example:\(port)/a")
        }
    }

    /// A request for an admin route stays one if its path is encoded.
    @Test(arguments: ["/%61dmin/status", "/metric%73", "/%66leet/messages"])
    func refusesEncodedAdminPaths(target: String) async throws {
        try await withSecureEndpoint { configuration, https in
            https.redirect = true
            configuration.server.publicURL = "https://maps.example/base"
        } _: { (secure: SecureEndpoint) async throws in
            #expect(try await secure.plain("GET", target).status == 403)
        }
    }

    /// The unit for systemd listens on 443, and the configuration does not say so.
    @Test func redirectsToThePortOfAPassedSocket() async throws {
        func listener() throws -> (socket: ListeningSocket, port: Int) {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let listens = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, length) == 0 && listen(descriptor, 8) == 0
                        && getsockname(descriptor, $0, &length) == 0
                }
            }
            try #require(listens)
            return (try ListeningSocket(descriptor: descriptor), Int(UInt16(bigEndian: address.sin_port)))
        }
        let pair = try TestCertificate(names: ["a.example"])
        let (plain, secure) = (try listener(), try listener())
        var launch = Launch()
        (launch.sockets, launch.secureSockets) = ([plain.socket], [secure.socket])
        var configuration = Configuration(layers: [])
        configuration.server.reactors = 1
        configuration.server.https = HTTPSSettings(
            certificate: CertificateFiles(certificate: pair.certificate, key: pair.key))
        configuration.server.https?.redirect = true
        configuration.admin.token = Endpoint.token
        let server = try TileServer(configuration: configuration, launch: launch, log: LogLines().log)
        #expect(server.port == plain.port && server.securePort == secure.port)
        let response = try RawClient(port: plain.port).get("/a")
        #expect(response["location"] == "https://a.example:\(secure.port)/a")
        await server.stop()
    }
}
