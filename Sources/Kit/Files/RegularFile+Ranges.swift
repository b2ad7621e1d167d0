import Bytes
import Glibc

extension RegularFile {
    /// Reads `count` bytes that begin at the byte `offset`. Throws if the file ends before them. Thread rule: any
    /// thread that may block, also several at once.
    package func bytes(at offset: Int, count: Int) throws(FileError) -> SharedBytes {
        guard offset >= 0, count >= 0, offset <= Int.max - count else { throw .system(call: "pread", errno: EINVAL) }
        var failure: FileError?
        let bytes = SharedBytes(capacity: count) { target in
            var filled = 0
            while filled < count {
                let step = withDescriptor {
                    pread($0, target.baseAddress.map { $0 + filled }, count - filled, offset + filled)
                }
                if step < 0, errno == EINTR { continue }
                guard step > 0 else {
                    // The file was cut off after its length was known.
                    failure = .system(call: "pread", errno: step < 0 ? errno : EIO)
                    break
                }
                filled += step
            }
            return filled
        }
        if let failure { throw failure }
        return bytes
    }

    /// The present status of the open file. Nil if the system cannot tell.
    package var currentStatus: stat? {
        withDescriptor { descriptor in
            var status = stat()
            return fstat(descriptor, &status) == 0 ? status : nil
        }
    }
}
