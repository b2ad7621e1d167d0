import Glibc

/// A draft of a file's content. The draft has another name until it replaces the file. Readers therefore never see half
/// a file, and the mode is right from the first byte.
///
/// Thread rule: any one thread at a time, which may block.
package struct FileDraft {
    package let path: String
    /// Open for writing. The caller closes it.
    package let descriptor: Int32

    /// Writes `bytes` to a file beside `target`. `mode` applies before the process's umask.
    package init(_ bytes: UnsafeRawBufferPointer, beside target: String, mode: mode_t) throws(FileError) {
        // The process id alone is not unique. A killed process may have left a draft, and in a container every server
        // has the process id 1.
        path = "\(target).\(getpid())-\(String(UInt32.random(in: .min ... .max), radix: 16))"
        descriptor = try OutputFile.created(path, bytes, mode: mode)
    }

    /// Renames the draft to `target`, which replaces a file there. Discards the draft after an error.
    package func replace(_ target: String) throws(FileError) {
        guard rename(path, target) == 0 else {
            let code = errno
            discard()
            throw .system(call: "rename", errno: code)
        }
    }

    /// Removes the draft and closes it.
    package func discard() {
        unlink(path)
        close(descriptor)
    }
}
