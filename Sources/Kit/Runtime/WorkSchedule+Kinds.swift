extension [WorkSchedule.Kind] {
    /// Threads of which what takes long holds `longWidth`, and each kind that takes less one more; all pieces are of one kind, on
    /// `width` threads, where `longWidth` is not below `width`. What takes longer has nicer threads, since all share the cores.
    static func sharing(_ width: Int, longWidth: Int, niceness: Int32) -> [WorkSchedule.Kind] {
        guard longWidth < width else {
            return [WorkSchedule.Kind(seconds: .infinity, width: width, niceness: niceness)]
        }
        return [
            // A tile of one colour, a camera; a photograph in another format.
            WorkSchedule.Kind(seconds: 0.002, width: longWidth + 3, niceness: 0),
            WorkSchedule.Kind(seconds: 0.02, width: longWidth + 2, niceness: niceness / 2),
            WorkSchedule.Kind(seconds: nil, width: longWidth + 1, niceness: niceness),
            WorkSchedule.Kind(seconds: .infinity, width: longWidth, niceness: niceness),
        ]
    }
}
