import EventLog
import Files
import Glibc

/// The secret text that admin requests must contain. An operator can set the token, or the server makes a token and
/// writes it to a file.
package struct AdminToken: Sendable {
    let text: String
    private let tokenFile: TokenFile?

    /// The file of the token, where local commands find it. Nil if the token is configured or not in a file.
    package var file: String? { tokenFile?.path }

    /// True if the server has made the token.
    var isMade: Bool { tokenFile != nil }

    init(configured text: String) {
        self.text = text
        tokenFile = nil
    }

    /// Makes a random token, which `publish` writes to a file in `directory`.
    init(madeFor directory: String) {
        text = Self.random()
        tokenFile = TokenFile(directory: directory)
    }

    /// Returns 128 random bits as hexadecimal digits.
    static func random() -> String {
        [UInt64.random(in: .min ... .max), .random(in: .min ... .max)].map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// Writes the token to its file, if the server has made the token. `port` is the port of the server. Returns the
    /// special file if a device, a pipe or a socket stands at the path. Local commands cannot read the token then.
    @discardableResult
    func publish(port: Int) throws(AdminTokenError) -> SpecialTokenFile? {
        try tokenFile?.write(text, port: port)
    }

    /// Writes the token to its file, and logs a warning if local commands cannot read it.
    func publish(port: Int, _ log: EventLog) throws(AdminTokenError) {
        guard let special = try publish(port: port) else { return }
        log.record("token_unpublished", level: .warning, ["path": "\(special.path)", "problem": "\(special)"])
    }

    /// Removes the file of a token that was published but will not be used.
    func withdraw() {
        tokenFile?.remove()
    }

    /// Releases the lock on the file, so that another server may use the file. The file stays.
    func release() {
        tokenFile?.release()
    }

    /// Compares in a time that does not depend on the position of the first difference.
    func matches(_ candidate: UnsafeRawBufferPointer) -> Bool {
        let expected = Array(text.utf8)
        guard !expected.isEmpty else { return false }
        var difference = expected.count ^ candidate.count
        for (index, byte) in candidate.enumerated() {
            difference |= Int(byte ^ expected[index % expected.count])
        }
        return difference == 0
    }
}

/// A token that a server has written to a file, as read by a command on the same machine.
package struct PublishedToken: Sendable {
    package let text: String
    package let file: String
    /// True if a running server holds the file.
    package let isHeld: Bool

    /// Finds the tokens of servers that may listen on `port`, in files in `directory`. The most probable token comes
    /// first. Throws if the file for `port` exists but cannot be used. Also throws if the first server's file cannot be
    /// used, unless a running server holds the file for `port`.
    package static func candidates(in directory: String, port: Int) throws(AdminTokenError) -> [PublishedToken] {
        // The second server in a directory has its port in the name of its file. The file of a stopped server is
        // useless.
        let own = try TokenFile.read(TokenFile.path(in: directory, port: port)).flatMap { $0.isHeld ? $0 : nil }
        do {
            let first = try TokenFile.read(TokenFile.path(in: directory))
            // The first server may have the same port at another address or in another container.
            return [own, first].compactMap(\.self)
        } catch {
            guard let own else { throw error }
            return [own]
        }
    }
}

/// Describes a device, a pipe or a socket at the path where the token file should be. The server does not replace such
/// a special file.
struct SpecialTokenFile: Sendable, CustomStringConvertible {
    let path: String
    let kind: FileError.Kind
    /// The reason why the token was not written into the special file. Nil if it was written.
    let fault: FileError?

    var description: String {
        let reason = fault.map { "; the token was not written: \($0)" } ?? "; the token was written into it"
        return "\(path) is a \(kind.rawValue)\(reason). "
            + "Commands on this machine cannot read the token: set admin.token or cache.directory"
    }
}

/// The error of a token file that cannot be written or read.
package struct AdminTokenError: Error, CustomStringConvertible, Sendable {
    /// The path of the file or of its directory.
    package let path: String
    /// The `errno` of the failed call. `EBUSY` if other servers hold both files or keep changing them, and `EINVAL` if
    /// the file is empty.
    package let code: Int32
    /// The error of a failed read. Nil for all other errors.
    var fault: FileError?

    package var description: String {
        let reason =
            if code == EBUSY {
                "another server on this port uses the file"
            } else if case .notRegular? = fault, let fault {
                "\(fault)"
            } else {
                "\(String(cString: strerror(code))) (uid \(getuid()))"
            }
        return "\(path): \(reason); set admin.token or cache.directory"
    }
}
