import Foundation

/// What the process holds of the system.
struct Holdings {
    /// Open descriptors, the one that lists them not counted.
    let descriptors: Int
    let threads: Int
    /// KiB of memory in use by pages.
    let resident: Int

    static func now() -> Holdings {
        // What the allocator keeps for later is not held by anybody.
        _ = trim(0)
        return Holdings(
            descriptors: count("/proc/self/fd") - 1, threads: count("/proc/self/task"), resident: residentKiB())
    }

    /// The holdings when descriptors and threads have not become fewer for two seconds: sources and threads of Dispatch go
    /// a little later than what used them.
    static func settled() async -> Holdings {
        var lowest = now()
        var end = ContinuousClock.now + .seconds(2)
        while ContinuousClock.now < end {
            // Never cancelled.
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

    /// `malloc_trim`, which Swift's Glibc has not.
    private static let trim: @convention(c) (Int) -> Int32 = {
        guard let symbol = dlsym(nil, "malloc_trim") else { return { _ in 0 } }
        return unsafeBitCast(symbol, to: (@convention(c) (Int) -> Int32).self)
    }()

    private static func count(_ directory: String) -> Int {
        // Zero is what a system without /proc holds.
        (try? FileManager.default.contentsOfDirectory(atPath: directory).count) ?? 0
    }

    private static func residentKiB() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * sysconf(Int32(_SC_PAGESIZE)) / 1_024
    }
}
