import Foundation
import TileServer

/// Where a picture goes: a file, which nobody ever sees half written, or standard output.
struct PictureFile {
    struct WritingError: Error, CustomStringConvertible {
        /// EX_CANTCREAT or EX_IOERR (sysexits.h).
        let status: Int32
        let description: String

        fileprivate init(_ status: Int32, _ path: String) {
            self.status = status
            description = "cannot write \(path): \(String(cString: strerror(errno)))"
        }
    }

    private let path: String

    init(_ path: String) {
        self.path = path
    }

    func write(_ bytes: SharedBytes) throws(WritingError) {
        guard path != "-" else { return try write(bytes, to: STDOUT_FILENO, "standard output") }
        let draft = "\(path).\(getpid())"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw WritingError(73, path) }
        do throws(WritingError) {
            defer { close(descriptor) }
            try write(bytes, to: descriptor, path)
        } catch {
            unlink(draft)
            throw error
        }
        guard rename(draft, path) == 0 else {
            let failure = WritingError(73, path)
            unlink(draft)
            throw failure
        }
    }

    private func write(_ bytes: SharedBytes, to descriptor: Int32, _ name: String) throws(WritingError) {
        defer { withExtendedLifetime(bytes) {} }
        var rest = bytes.buffer
        while !rest.isEmpty {
            let count = Foundation.write(descriptor, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw WritingError(74, name) }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }
}
