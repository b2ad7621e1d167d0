import Glibc

/// The time until which to wait for another program to open a pipe.
struct Deadline {
    /// Microseconds between two checks of a pipe.
    static let step: UInt32 = 20_000

    private let end: timespec

    init(seconds: Int) {
        var now = timespec()
        // This clock exists on every Linux and never jumps.
        clock_gettime(CLOCK_MONOTONIC, &now)
        end = timespec(tv_sec: now.tv_sec + seconds, tv_nsec: now.tv_nsec)
    }

    var isAhead: Bool {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return (now.tv_sec, now.tv_nsec) < (end.tv_sec, end.tv_nsec)
    }
}
