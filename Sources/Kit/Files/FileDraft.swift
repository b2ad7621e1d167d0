import CLinux
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
        path = Self.path(beside: target)
        descriptor = try OutputFile.created(path, bytes, mode: mode)
    }

    /// Returns a new name for a draft of `target`, in the same directory. The name ends in `ending`.
    package static func path(beside target: String, ending: String = "") -> String {
        // The process id alone is not unique. A killed process may have left a draft, and servers in different
        // containers may all have the process id 1.
        "\(target).\(getpid())-\(String(UInt32.random(in: .min ... .max), radix: 16))\(ending)"
    }

    /// Renames the file at `path` to `target`. If `replaces` is false and a file exists at `target`, throws EEXIST and
    /// leaves both files unchanged.
    package static func rename(_ path: String, to target: String, replaces: Bool) throws(FileError) {
        if !replaces {
            if linux_rename_new(path, target) == 0 { return }
            // The file system may not know this call. Another process may then create the target at the last moment.
            var status = stat()
            if errno == EEXIST || lstat(target, &status) == 0 { throw .system(call: "rename", errno: EEXIST) }
        }
        guard Glibc.rename(path, target) == 0 else { throw .system(call: "rename", errno: errno) }
    }

    /// Renames the draft to `target`, which replaces a file there. Discards the draft after an error.
    package func replace(_ target: String) throws(FileError) {
        do throws(FileError) {
            try Self.rename(path, to: target, replaces: true)
        } catch {
            discard()
            throw error
        }
    }

    /// Removes the draft and closes it.
    package func discard() {
        unlink(path)
        close(descriptor)
    }
}
