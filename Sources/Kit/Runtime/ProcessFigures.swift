import Glibc

/// Measurements of this process by the operating system, such as its memory, for metrics.
public struct ProcessFigures: Sendable {
    /// CPU seconds of the process, user and system.
    public let cpuSeconds: Double
    /// Bytes in RAM, including mapped files. Nil if the figure cannot be read, as for the properties below.
    public let residentBytes: Int?
    /// Bytes of address space.
    public let virtualBytes: Int?
    /// Number of open descriptors.
    public let openDescriptors: Int?
    /// Maximum number of open descriptors. Nil if there is no limit.
    public let mostDescriptors: Int?
    /// Start time of the process, in seconds since 1970.
    public let startSeconds: Double?
    public let threads: Int?

    /// Returns the current measurements. The call reads a few files in `/proc`, so it may block for a moment.
    package static func current() -> ProcessFigures {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        var limit = rlimit()
        let hasLimit = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
        let status = StatusFields(text("/proc/self/stat") ?? "")
        return ProcessFigures(
            cpuSeconds: seconds(usage.ru_utime) + seconds(usage.ru_stime), residentBytes: ProcessMemory.resident(),
            virtualBytes: status[23], openDescriptors: descriptorCount(),
            mostDescriptors: hasLimit ? Int(exactly: limit.rlim_cur) : nil, startSeconds: startSeconds(status),
            threads: status[20])
    }

    private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }

    /// Returns the process's start time in seconds since 1970. `/proc` gives it relative to the boot of the machine.
    private static func startSeconds(_ status: StatusFields) -> Double? {
        guard let ticks = status[22], let machine = text("/proc/stat") else { return nil }
        let line = machine.split(separator: "\n").first { $0.hasPrefix("btime ") }
        guard let line, let boot = Int(line.dropFirst(6)) else { return nil }
        return Double(boot) + Double(ticks) / Double(max(sysconf(Int32(_SC_CLK_TCK)), 1))
    }

    /// Number of open descriptors, without the descriptor that is open for counting.
    private static func descriptorCount() -> Int? {
        guard let directory = opendir("/proc/self/fd") else { return nil }
        defer { closedir(directory) }
        var count = 0
        while let entry = readdir(directory) {
            if entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { count += 1 }
        }
        return count - 1
    }

    private static func text(_ path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var text: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4_096)
        while text.count < 1 << 20 {
            let count = Glibc.read(file, &part, part.count)
            guard count > 0 else { break }
            text += part[..<count]
        }
        return String(decoding: text, as: UTF8.self)
    }
}

/// The fields of `/proc/self/stat` by their numbers in proc(5), from the third on. The second field is the program's
/// name, which may contain spaces and parentheses.
private struct StatusFields {
    private let fields: [Substring]

    init(_ text: String) {
        fields = text.lastIndex(of: ")").map { text[text.index(after: $0)...].split(separator: " ") } ?? []
    }

    subscript(number: Int) -> Int? {
        fields.indices.contains(number - 3) ? Int(fields[number - 3]) : nil
    }
}

/// Measures how much memory this process uses.
public enum ProcessMemory {
    /// Returns the number of bytes in RAM, including mapped files (`resident` in proc(5), statm). Returns nil if the
    /// system does not tell the number.
    public static func resident() -> Int? { fields()?.resident }

    /// Returns the number of bytes in RAM that belong to no file (`RssAnon` in proc(5), status). Without swap, the
    /// kernel cannot free this memory. It may kill the process if the memory exceeds the limit of the control group.
    /// Returns nil if the system does not tell the number.
    package static func anonymous() -> Int? { fields().map { max($0.resident - $0.shared, 0) } }

    /// Returns `resident` and `shared` of the file statm in bytes (proc(5)). The method may run many times a second,
    /// and statm is faster to read than the longer file status.
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
