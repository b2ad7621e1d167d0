import Configuration
import Foundation

/// A file that is written once, and never over another; or standard output.
struct NewFile {
    let path: String

    private var isStandardOutput: Bool { path == "-" }

    /// Where it lies, as an absolute path; nil of standard output.
    var directory: String? {
        isStandardOutput ? nil : URL(fileURLWithPath: path).deletingLastPathComponent().standardized.path
    }

    func refuseExisting() throws(Init.RefusalError) {
        var status = stat()
        if !isStandardOutput, lstat(path, &status) == 0 { throw existing }
    }

    private var existing: Init.RefusalError {
        Init.RefusalError(
            status: 73,
            text: "\(path) is there already and stays as it is: name another file with --output, or - to see it")
    }

    private func failure(_ number: Int32) -> Init.RefusalError {
        Init.RefusalError(status: 73, text: "cannot write \(path): \(String(cString: strerror(number)))")
    }

    func write(_ text: String) throws(Init.RefusalError) {
        guard !isStandardOutput else { return try write(text, to: STDOUT_FILENO) }
        // `config` of a directory where nothing is yet; what stands above it must be there.
        if let directory, mkdir(directory, 0o777) != 0, errno != EEXIST { throw failure(errno) }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw errno == EEXIST ? existing : failure(errno) }
        defer { close(descriptor) }
        do throws(Init.RefusalError) {
            try write(text, to: descriptor)
        } catch {
            unlink(path)
            throw error
        }
    }

    private func write(_ text: String, to descriptor: Int32) throws(Init.RefusalError) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure(errno) }
            rest = rest.dropFirst(count)
        }
    }
}
