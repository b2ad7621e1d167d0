import Configuration
import Foundation
import TestSupport
import TestTLS
import Testing

@testable import TileServer

/// Tests of `server.https.challenges`: the files of ACME's HTTP challenges (RFC 8555 8.3).
@Suite(.blocking) struct ChallengeTests {
    private static let prefix = "/.well-known/acme-challenge/"

    private let directory: TemporaryDirectory
    private let token = "evaGxfADs6pSRb2LAv9IZf17Dt3juxGJ-PCt92wr_oA"

    init() throws {
        directory = try TemporaryDirectory()
        try write("the answer", to: token)
    }

    private func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: "\(directory.path)/\(name)"))
    }

    private func run(isRedirecting: Bool = true, _ body: (SecureEndpoint) async throws -> Void) async throws {
        let path = directory.path
        try await withSecureEndpoint(
            { configuration, https in
                (https.redirect, https.challenges) = (isRedirecting, path)
                configuration.server.publicURL = "https://maps.example"
            }, body)
    }

    @Test(arguments: [true, false]) func servesAFileWithoutTLS(isRedirecting: Bool) async throws {
        try await run(isRedirecting: isRedirecting) { (secure: SecureEndpoint) async throws in
            let response = try await secure.plain("GET", Self.prefix + token, ["Host: anything.example"])
            #expect(response.status == 200 && response.text == "the answer")
            #expect(response["cache-control"]?.contains("no-store") == true)
            #expect(try await secure.plain("HEAD", Self.prefix + token)["content-length"] == "10")
            // Files that are written later are served too.
            try write("more", to: "later")
            #expect(try await secure.plain("GET", Self.prefix + "later").text == "more")
        }
    }

    @Test(arguments: [
        "", ".", "..", "../secret", "..%2Fsecret", "%2e%2e/secret", "a/b", "a%2Fb", "none", "hidden.txt", ".hidden",
        "link", "directory", "pipe", "large", "a%00", "with%20space", String(repeating: "n", count: 200),
    ])
    func servesOnlyPlainNamesOfTheDirectory(name: String) async throws {
        let manager = FileManager.default
        for path in ["hidden.txt", ".hidden", "with space"] { try write("secret", to: path) }
        try write("secret", to: String(repeating: "n", count: 200))
        try write(String(repeating: "x", count: 100_000), to: "large")
        try manager.createDirectory(atPath: "\(directory.path)/directory", withIntermediateDirectories: false)
        try manager.createDirectory(atPath: "\(directory.path)/a", withIntermediateDirectories: false)
        try write("secret", to: "a/b")
        try manager.createSymbolicLink(atPath: "\(directory.path)/link", withDestinationPath: "/etc/passwd")
        #expect(mkfifo("\(directory.path)/pipe", 0o600) == 0)
        try await run { (secure: SecureEndpoint) async throws in
            let response = try await secure.plain("GET", Self.prefix + name)
            #expect(response.status == 404 || response.status == 400, "\(response)")
            #expect(!response.text.contains("secret") && !response.text.contains("root:"))
        }
    }

    /// Without the key there are no files, and the challenge of another server is no reason for a redirect.
    @Test func answersNotFoundWithoutTheKey() async throws {
        try await withSecureEndpoint { configuration, https in
            https.redirect = true
            configuration.server.publicURL = "https://maps.example"
        } _: { (secure: SecureEndpoint) async throws in
            #expect(try await secure.plain("GET", Self.prefix + token).status == 404)
        }
    }

    @Test func followsAChangedDirectory() async throws {
        let other = try TemporaryDirectory()
        try Data("elsewhere".utf8).write(to: URL(filePath: "\(other.path)/\(token)"))
        try await run { (secure: SecureEndpoint) async throws in
            var configuration = secure.server.configuration
            configuration.server.https?.challenges = other.path
            #expect(try secure.server.reload(configuration).needsRestart.isEmpty)
            await secure.server.server.settle()
            #expect(try await secure.plain("GET", Self.prefix + token).text == "elsewhere")
        }
    }
}
