import Configuration
import Files
import Foundation

/// A file that is written once, and never over another; or standard output. A device or a pipe is written into.
struct NewFile {
    let path: String

    private var isStandardOutput: Bool { path == "-" }

    private var output: OutputFile { .named(isStandardOutput ? "/dev/stdout" : path) }

    /// Where it lies, as an absolute path; nil of standard output, and of what is no regular file.
    var directory: String? { output.isWrittenInPlace ? nil : absolutePath(folder) }

    private var folder: String { path.lastIndex(of: "/").map { String(path[...$0]) } ?? "." }

    func refuseExisting() throws(Init.RefusalError) {
        var status = stat()
        if !output.isWrittenInPlace, lstat(path, &status) == 0 { throw existing }
    }

    private var existing: Init.RefusalError {
        Init.RefusalError(
            status: 73,
            text: "\(path) is there already and stays as it is: name another file with --output, or - to see it")
    }

    private func failure(_ reason: some CustomStringConvertible) -> Init.RefusalError {
        Init.RefusalError(status: 73, text: "cannot write \(path): \(reason)")
    }

    func write(_ text: String) throws(Init.RefusalError) {
        // `config` of a directory where nothing is yet; what stands above it must be there.
        if let directory, mkdir(directory, 0o777) != 0, errno != EEXIST {
            throw failure(String(cString: strerror(errno)))
        }
        do throws(FileError) {
            try output.write(Array(text.utf8), isNew: true)
        } catch {
            throw error.code == EEXIST ? existing : failure(error)
        }
    }
}
