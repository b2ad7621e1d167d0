import Foundation
import HTTPClient
import Runtime
import Synchronization
import TLS
import TestUpstream
import Testing

@testable import TileSources

/// Tests for the PEM files of a layer. Mistakes in the files are reported at the start, and later changes take
/// effect.
@Suite struct URLTLSFilesTests {
    private let one: TestCertificate
    private let other: TestCertificate

    init() throws {
        one = try TestCertificate()
        other = try TestCertificate()
    }

    private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    @Test func readsValidFiles() throws {
        #expect(try TLSFiles().read() == UpstreamTLS())
        let (certificate, key) = (try text(one.certificate), try text(one.key))
        let apart = TLSFiles(authorities: other.certificate, certificate: one.certificate, key: one.key)
        let expected = UpstreamTLS(authorities: try text(other.certificate), certificate: certificate, key: key)
        #expect(try apart.read() == expected)
        // A file may contain several authorities with text between them. One file may contain certificate and key.
        let bundle = try one.file("bundle.pem", "first\n" + certificate + "second\n" + (try text(other.certificate)))
        let bundled = try text(bundle)
        #expect(try TLSFiles(authorities: bundle).read().authorities == bundled)
        let both = try one.file("both.pem", key + certificate)
        let joined = try text(both)
        #expect(try TLSFiles(certificate: both).read().key == joined)
    }

    @Test func reportsInvalidFiles() throws {
        let empty = try one.file("empty.pem", "")
        let cut = try one.file("cut.pem", try text(one.certificate).replacingOccurrences(of: "MII", with: "XII"))
        func error(_ files: TLSFiles) -> CertificateFileError? {
            do {
                _ = try files.read()
                return nil
            } catch {
                return error
            }
        }
        let missing = one.directory.path + "/none.pem"
        #expect(
            error(TLSFiles(authorities: missing)) == .unreadable(path: missing, reason: "No such file or directory"))
        let directory = one.directory.path
        #expect(error(TLSFiles(authorities: directory)) == .unreadable(path: directory, reason: "Is a directory"))
        let pipe = directory + "/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        let kinds = [(pipe, "a pipe"), ("/dev/zero", "a device")]
        for (path, kind) in kinds {
            let reason = "expected a regular file, found \(kind)"
            #expect(error(TLSFiles(authorities: path)) == .unreadable(path: path, reason: reason))
        }
        #expect(error(TLSFiles(authorities: empty)) == .noCertificate(path: empty))
        #expect(error(TLSFiles(authorities: one.key)) == .noCertificate(path: one.key))
        #expect(error(TLSFiles(authorities: cut)) == .brokenCertificate(path: cut))
        #expect(error(TLSFiles(certificate: one.certificate)) == .noKey(path: one.certificate))
        #expect(error(TLSFiles(certificate: one.certificate, key: empty)) == .noKey(path: empty))
        #expect(
            error(TLSFiles(certificate: one.certificate, key: one.encryptedKey))
                == .encryptedKey(path: one.encryptedKey))
        #expect(
            error(TLSFiles(certificate: one.certificate, key: other.key))
                == .otherKey(path: other.key, certificate: one.certificate))
    }

    @Test func reloadsChangedFile() throws {
        let path = try one.file("ca.pem", try text(one.certificate))
        let errors = Mutex<[String]>([])
        let live = try ProfileFollowingFiles(
            TLSFiles(authorities: path), onError: { error in errors.withLock { $0.append("\(error)") } },
            make: { try UpstreamProfile(tls: $0) })
        func authorities() -> String? { live.profile(now: .now()).tls.authorities }
        let first = live.profile(now: .now())
        live.check()
        #expect(live.profile(now: .now()) === first)
        // An invalid file changes nothing and is reported once.
        _ = try one.file("ca.pem", "nothing")
        for _ in 0..<3 { live.check() }
        #expect(live.profile(now: .now()) === first)
        #expect(errors.withLock { $0 } == ["\(path): expected certificates in PEM, found none"])
        let changed = try text(other.certificate)
        _ = try one.file("ca.pem", changed)
        live.check()
        #expect(authorities() == changed)
        #expect(errors.withLock { $0.count } == 1)
    }

    /// The files are checked ten seconds after the last check. No request waits for the check.
    @Test func checksFilesAutomatically() async throws {
        let path = try one.file("ca.pem", try text(one.certificate))
        let live = try ProfileFollowingFiles(
            TLSFiles(authorities: path), onError: { _ in }, make: { try UpstreamProfile(tls: $0) })
        _ = try one.file("ca.pem", try text(other.certificate))
        let changed = try text(other.certificate)
        var now = MonotonicTime.now()
        for _ in 0..<3_000 where live.profile(now: now).tls.authorities != changed {
            now = now.adding(seconds: 11)
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(live.profile(now: now).tls.authorities == changed)
    }
}
