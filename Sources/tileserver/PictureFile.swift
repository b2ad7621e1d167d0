import Files
import TileServer

/// Where a picture goes: a file, which nobody ever sees half written, or standard output.
struct PictureFile {
    struct WritingError: Error, CustomStringConvertible {
        /// EX_CANTCREAT or EX_IOERR (sysexits.h).
        let status: Int32
        let description: String
    }

    private let path: String

    init(_ path: String) {
        self.path = path
    }

    func write(_ bytes: SharedBytes) throws(WritingError) {
        defer { withExtendedLifetime(bytes) {} }
        do throws(FileError) {
            try OutputFile.named(path == "-" ? "/dev/stdout" : path).write(bytes.buffer)
        } catch {
            let isBroken = if case .system("write", _) = error { true } else { false }
            let place = path == "-" ? "standard output" : path
            throw WritingError(status: isBroken ? 74 : 73, description: "cannot write \(place): \(error)")
        }
    }
}
