/// Settings that select which requests get a line in the access log.
public struct AccessLog: Sendable, Equatable {
    public enum Lines: Sendable {
        case none
        /// Only requests with an error response.
        case errors
        case all
    }

    /// An access log without lines.
    public static let off = AccessLog(.none)

    private let lines: Lines
    /// With `all`, requests without an error are logged if their number is below this bound. Nil means all of them.
    private let bound: UInt64?

    /// Creates a selection. `sample` is the part of requests without an error that `all` logs, in 0…1.
    public init(_ lines: Lines, sample: Double = 1) {
        self.lines = lines
        // The largest Double below 1 gives a value that fits.
        bound = sample < 1 ? UInt64(max(sample, 0) * 0x1p64) : nil
    }

    /// True if any request can get a line.
    var isOn: Bool { lines != .none }

    /// Reports whether a request gets a line. The request's random `number` decides, so that nothing must be
    /// remembered.
    func wants(_ number: UInt64, isError: Bool) -> Bool {
        switch lines {
        case .none: false
        case .errors: isError
        case .all: isError || bound.map { number < $0 } ?? true
        }
    }
}
