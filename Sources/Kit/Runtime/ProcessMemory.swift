import Glibc

/// The memory of this process.
public enum ProcessMemory {
    /// Bytes in RAM, those of files that are mapped included (`resident` of proc(5), statm); nil where it cannot be read.
    public static func resident() -> Int? { fields()?.resident }

    /// Bytes in RAM that belong to no file (`RssAnon` of proc(5), status). The kernel cannot reclaim them without swap, and
    /// kills the process if its control group has no room for them. Nil if they cannot be read.
    package static func anonymous() -> Int? { fields().map { max($0.resident - $0.shared, 0) } }

    /// `resident` and `shared` of proc(5), statm, in bytes. Reads statm and not status, which is longer text: this is read
    /// many times a second.
    private static func fields() -> (resident: Int, shared: Int)? {
        let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var text = [UInt8](repeating: 0, count: 128)
        let count = Glibc.read(file, &text, text.count)
        guard count > 0 else { return nil }
        let fields = text[..<count].split(separator: UInt8(ascii: " "))
        guard fields.count > 2, let resident = Int(String(decoding: fields[1], as: UTF8.self)),
            let shared = Int(String(decoding: fields[2], as: UTF8.self))
        else { return nil }
        let page = sysconf(Int32(_SC_PAGESIZE))
        return (resident * page, shared * page)
    }
}
