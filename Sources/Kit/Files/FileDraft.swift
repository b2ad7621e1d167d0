import Glibc

/// A new version of a file, written under another name until it replaces the file. Readers of the file therefore see
/// the old or the new content, and never a part of it. The draft's access mode applies from its first byte.
///
/// Thread rule: any thread that may block, one at a time.
package struct FileDraft {
    package let path: String
    /// Open for writing. The caller closes it, unless the draft was discarded.
    package let descriptor: Int32

    /// Writes `bytes` to a file beside `target`. `mode` applies before the process's umask.
    package init(_ bytes: UnsafeRawBufferPointer, beside target: String, mode: mode_t) throws(FileError) {
        // The process id alone is not unique. A killed process may have left a draft, and servers in different
        // containers may all have the process id 1.
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
