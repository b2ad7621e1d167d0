import Foundation

/// The system resources that this process uses.
struct Holdings {
    /// Number of open descriptors, without the one for listing them.
    let descriptors: Int
    let threads: Int
    /// Resident memory in KiB.
    let resident: Int

    static func now() -> Holdings {
        // Returns freed memory of the allocator to the system first, because it is not in use.
        _ = trim(0)
        return Holdings(
            descriptors: count("/proc/self/fd") - 1, threads: count("/proc/self/task"), resident: residentKiB())
    }

    /// Returns the holdings after two seconds without fewer descriptors or threads. Dispatch closes sources and threads
    /// a little later than their users.
    static func settled() async -> Holdings {
        var lowest = now()
        var end = ContinuousClock.now + .seconds(2)
        while ContinuousClock.now < end {
            // The sleep does not throw, because the task is never cancelled.
            try? await Task.sleep(for: .milliseconds(100))
            let holdings = now()
            if holdings.descriptors < lowest.descriptors || holdings.threads < lowest.threads {
                end = ContinuousClock.now + .seconds(2)
            }
            lowest = holdings
        }
        return lowest
    }

    static func printChange(from before: Holdings, to after: Holdings) {
        print("descriptors", before.descriptors, after.descriptors)
        print("threads", before.threads, after.threads)
        print("resident-KiB", before.resident, after.resident)
    }

    /// `malloc_trim`, which Swift's Glibc module lacks.
    private static let trim: @convention(c) (Int) -> Int32 = {
        guard let symbol = dlsym(nil, "malloc_trim") else { return { _ in 0 } }
        return unsafeBitCast(symbol, to: (@convention(c) (Int) -> Int32).self)
    }()

    private static func count(_ directory: String) -> Int {
        // A system without /proc counts as zero.
        (try? FileManager.default.contentsOfDirectory(atPath: directory).count) ?? 0
    }

    private static func residentKiB() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * sysconf(Int32(_SC_PAGESIZE)) / 1_024
    }
}
