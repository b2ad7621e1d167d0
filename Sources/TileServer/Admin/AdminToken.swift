import Glibc

/// The secret that admin requests carry.
package struct AdminToken: Sendable {
    let text: String

    /// The name of the file that holds a token the server made itself.
    static let fileName = "admin-token"

    /// The token's file, where local commands find it; nil where the token is configured.
    package let file: String?
    private let directory: String?

    init(configured text: String) {
        self.text = text
        file = nil
        directory = nil
    }

    /// Makes a random token of 128 bits, which `publish` writes to a file in `directory`.
    init(madeFor directory: String) {
        text = [UInt64.random(in: .min ... .max), .random(in: .min ... .max)].map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
        file = "\(directory)/\(Self.fileName)"
        self.directory = directory
    }

    /// Writes a token that was made to its file, which only this user can read, replacing what was there. To be
    /// called when the server listens: until then the file may be that of another server which does.
    func publish() throws(AdminTokenError) {
        guard let path = file, let directory else { return }
        guard mkdir(directory, 0o755) == 0 || errno == EEXIST else {
            throw AdminTokenError(path: directory, code: errno)
        }
        // Another name first: no process can read half a token, and the mode is right from the first byte.
        let draft = "\(path).\(getpid())"
        // A start that was cut short may have left one, by a process of the same number: in a container, always 1.
        unlink(draft)
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw AdminTokenError(path: path, code: errno) }
        defer { close(descriptor) }
        let line = Array(text.utf8) + [UInt8(ascii: "\n")]
        guard write(descriptor, line, line.count) == line.count, rename(draft, path) == 0 else {
            let code = errno
            unlink(draft)
            throw AdminTokenError(path: path, code: code)
        }
    }

    /// Removes the file of a token that was published and is never to be used.
    func withdraw() {
        if let file { unlink(file) }
    }

    /// The token that a server made in `directory`; nil if there is none. Throws where the file is there and cannot
    /// be used.
    package static func read(from directory: String) throws(AdminTokenError) -> String? {
        let path = "\(directory)/\(fileName)"
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw AdminTokenError(path: path, code: errno)
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 1_024)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        guard count > 0 else { throw AdminTokenError(path: path, code: count < 0 ? errno : EINVAL) }
        let line = bytes[..<count].prefix { $0 >= 0x21 && $0 <= 0x7E }
        return String(decoding: line, as: UTF8.self)
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

/// The token's file cannot be written or read.
package struct AdminTokenError: Error, CustomStringConvertible, Sendable {
    /// The file, or its directory.
    package let path: String
    /// What the system said: an `errno`.
    package let code: Int32

    package var description: String {
        "\(path): \(String(cString: strerror(code))) (uid \(getuid())); set admin.token or cache.directory"
    }
}
