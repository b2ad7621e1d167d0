import EventLog
import Files
import Glibc

/// The secret that admin requests carry.
package struct AdminToken: Sendable {
    let text: String
    private let tokenFile: TokenFile?

    /// The token's file, where local commands find it. Nil if the token is configured, or is in no file.
    package var file: String? { tokenFile?.path }

    /// Whether the server has made the token.
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

    /// 128 random bits as hexadecimal digits.
    static func random() -> String {
        [UInt64.random(in: .min ... .max), .random(in: .min ... .max)].map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// Writes the token to its file, if the server has made it. `port`: the port on which the server listens. Returns what is
    /// in the place of the file if that is a device, a pipe or a socket: local commands cannot read the token then.
    @discardableResult
    func publish(port: Int) throws(AdminTokenError) -> SpecialTokenFile? {
        try tokenFile?.write(text, port: port)
    }

    /// Publishes the token, and writes a line to `log` if local commands cannot read it.
    func publish(port: Int, _ log: EventLog) throws(AdminTokenError) {
        guard let special = try publish(port: port) else { return }
        log.record("token_unpublished", level: .warning, ["path": "\(special.path)", "problem": "\(special)"])
    }

    /// Removes the file of a token that was published and is never to be used.
    func withdraw() {
        tokenFile?.remove()
    }

    /// Gives up the lock on the file, so that another server may take the file. The file stays.
    func release() {
        tokenFile?.release()
    }

    /// Compares in a time that does not depend on where the two differ.
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

/// A server's token in a file, as a command on the same machine finds it.
package struct PublishedToken: Sendable {
    package let text: String
    package let file: String
    /// Whether a running server holds the file.
    package let isHeld: Bool

    /// The tokens of servers in `directory` that may listen on `port`, the likeliest first. Throws if the file of the likeliest is
    /// there and cannot be used.
    package static func candidates(in directory: String, port: Int) throws(AdminTokenError) -> [PublishedToken] {
        // The second server in a directory has its port in the file's name. The file of a dead server is of no use.
        let own = try TokenFile.read(TokenFile.path(in: directory, port: port)).flatMap { $0.isHeld ? $0 : nil }
        do {
            let first = try TokenFile.read(TokenFile.path(in: directory))
            // The first server may have the same port, at another address or in another container.
            return [own, first].compactMap(\.self)
        } catch {
            guard let own else { throw error }
            return [own]
        }
    }
}

/// A device, a pipe or a socket in the place of a token's file. The server leaves it where it is.
struct SpecialTokenFile: Sendable, CustomStringConvertible {
    let path: String
    let kind: FileError.Kind
    /// Why the token was not written into it. Nil if it was.
    let fault: FileError?

    var description: String {
        let reason = fault.map { "; the token was not written: \($0)" } ?? "; the token was written into it"
        return "\(path) is a \(kind.rawValue)\(reason). "
            + "Commands on this machine cannot read the token: set admin.token or cache.directory"
    }
}

/// The token's file cannot be written or read.
package struct AdminTokenError: Error, CustomStringConvertible, Sendable {
    /// The file, or its directory.
    package let path: String
    /// What the system said: an `errno`.
    package let code: Int32
    /// The error of reading. Nil of other calls.
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
