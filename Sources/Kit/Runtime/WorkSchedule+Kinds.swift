extension [WorkSchedule.Kind] {
    /// Returns the kinds of work for a queue, fastest first. If `longWidth` is at least `width`, there is only one
    /// kind, with `width` threads. Otherwise pieces over 20 ms may use at most `longWidth` threads, and each kind
    /// before may use one thread more. Slower kinds may run with a lower priority (higher niceness), because all kinds
    /// use the same cores.
    static func sharing(_ width: Int, longWidth: Int, niceness: Int32) -> [WorkSchedule.Kind] {
        guard longWidth < width else {
            return [WorkSchedule.Kind(seconds: .infinity, width: width, niceness: niceness)]
        }
        return [
            // Pieces up to 2 ms: a tile of one colour, a camera. Pieces up to 20 ms: a photograph in another format.
            WorkSchedule.Kind(seconds: 0.002, width: longWidth + 3, niceness: 0),
            WorkSchedule.Kind(seconds: 0.02, width: longWidth + 2, niceness: niceness / 2),
            WorkSchedule.Kind(seconds: nil, width: longWidth + 1, niceness: niceness),
            WorkSchedule.Kind(seconds: .infinity, width: longWidth, niceness: niceness),
        ]
    }
}
