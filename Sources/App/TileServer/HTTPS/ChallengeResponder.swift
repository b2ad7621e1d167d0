import Bytes
import Files
import HTTPServer
import Runtime

/// Serves the files of ACME's HTTP challenges (RFC 8555 8.3). A client such as certbot or uacme writes these files.
struct ChallengeResponder: Sendable {
    static let prefix = "/.well-known/acme-challenge/"

    /// The directory of the files, the value of `server.https.challenges`.
    let directory: String
    let files: WorkQueue

    /// A response to a challenge has a token, a dot and a hash: about a hundred bytes.
    private static let mostBytes = 4_096

    /// Returns the reply to a request for a challenge. Nil for other paths and methods.
    func reply(to request: Request) -> Reply? {
        guard request.method == .get || request.method == .head, request.path.starts(with: Self.prefix.utf8) else {
            return nil
        }
        let name = request.path.dropFirst(Self.prefix.utf8.count)
        // Characters of base64url, so that no name leads out of the directory.
        let isToken =
            (1...128).contains(name.count)
            && name.allSatisfy { ASCII.isLetterOrDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
        guard isToken else { return .ready(Self.notFound) }
        let path = "\(directory)/\(String(decoding: name, as: UTF8.self))"
        return .pending { [files] in
            do {
                guard let bytes = try await files.run(maxWait: 5, { Self.content(of: path) }) else {
                    return Self.notFound
                }
                return Response(
                    .ok, fields: Self.fields, common: CommonFields.open, caching: Caching(.noStore),
                    body: SharedBytes(bytes))
            } catch {
                // The queue for files has no room, or the file's turn did not come in time.
                return Self.busy
            }
        }
    }

    /// Returns nil if there is no such regular file, or if it is unreadable or too large. Links are not followed.
    private static func content(of path: String) -> [UInt8]? {
        guard let file = try? RegularFile(path, followsLink: false) else { return nil }
        // An unreadable file counts as missing.
        return try? file.bytes(limit: mostBytes)
    }

    private static let fields = FieldLines.make([("Content-Type", "application/octet-stream")])
    private static let notFound = Problem(.notFound, "unknown-route", "No challenge has this name.").response()
    private static let busy = Problem(
        .serviceUnavailable, "overloaded", "The server is overloaded. Try again later.", fields: [("Retry-After", "1")]
    ).response()
}
