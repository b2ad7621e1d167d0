import Configuration
import Files
import Foundation

/// A new file, which never replaces another, or standard output. A device or a pipe is written into.
struct NewFile {
    let path: String

    private var isStandardOutput: Bool { path == "-" }

    private var output: OutputFile { .named(isStandardOutput ? "/dev/stdout" : path) }

    /// The file's directory, as an absolute path. Nil for standard output, a device or a pipe.
    var directory: String? { output.isWrittenInPlace ? nil : absolutePath(folder) }

    private var folder: String { path.lastIndex(of: "/").map { String(path[...$0]) } ?? "." }

    func refuseExisting() throws(CommandError) {
        var status = stat()
        if !output.isWrittenInPlace, lstat(path, &status) == 0 { throw existing }
    }

    private var existing: CommandError {
        CommandError(
            "\(path) is there already and stays as it is: name another file with --output, or - to see it",
            status: EX_CANTCREAT)
    }

    private func failure(_ reason: some CustomStringConvertible) -> CommandError {
        CommandError("cannot write \(path): \(reason)", status: EX_CANTCREAT)
    }

    func write(_ text: String) throws(CommandError) {
        // Makes the directory, such as `config`. Its parent must exist.
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
