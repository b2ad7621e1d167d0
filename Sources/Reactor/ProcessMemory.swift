import Glibc

/// The memory of this process.
public enum ProcessMemory {
    /// Bytes in RAM, those of files that are mapped included (`resident` of proc(5), statm); nil where it cannot be read.
    public static func resident() -> Int? {
        let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var text = [UInt8](repeating: 0, count: 128)
        let count = Glibc.read(file, &text, text.count)
        guard count > 0 else { return nil }
        let fields = text[..<count].split(separator: UInt8(ascii: " "))
        guard fields.count > 1, let pages = Int(String(decoding: fields[1], as: UTF8.self)) else { return nil }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }
}
