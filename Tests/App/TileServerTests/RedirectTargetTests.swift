import Configuration
import Foundation
import TestSupport
import TestTLS
import TestUpstream
import Testing

@testable import HTTPServer
@testable import TileServer

/// Tests for the target of the redirect to HTTPS.
@Suite(.blocking) struct RedirectTargetTests {
    /// The redirect would otherwise lead to a name that no certificate has.
    @Test func followsTheNameOfARenewedCertificate() async throws {
        try await withRedirect(names: ["old.example"]) { secure in
            let next = try TestCertificate(names: ["new.example"])
            try secure.certificate.become(next)
            #expect(eventuallyBlocking { secure.shows(next) })
            let response = try await secure.plain("GET", "/a")
            #expect(response["location"] == "https://new.example:\(secure.securePort)/a")
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
        let pair = try TestCertificate(names: ["a.example"])
        let descriptors = try (0..<2).map { _ in try Address.listen(host: "127.0.0.1", port: 0) }
        let (plain, secure) = (Address.port(of: descriptors[0]), Address.port(of: descriptors[1]))
        var launch = Launch()
        launch.sockets = [try ListeningSocket(descriptor: descriptors[0])]
        launch.secureSockets = [try ListeningSocket(descriptor: descriptors[1])]
        var configuration = Configuration(layers: [])
        configuration.server.reactors = 1
        configuration.server.https = HTTPSSettings(
            certificate: CertificateFiles(certificate: pair.certificate, key: pair.key))
        configuration.server.https?.redirect = true
        configuration.admin.token = Endpoint.token
        let server = try TileServer(configuration: configuration, launch: launch, log: LogLines().log)
        #expect(server.port == plain && server.securePort == secure)
        let response = try RawClient(port: plain).get("/a")
        #expect(response["location"] == "https://a.example:\(secure)/a")
        await server.stop()
    }
}
