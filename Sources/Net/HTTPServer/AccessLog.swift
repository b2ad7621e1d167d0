/// Which requests have a line in the access log.
public struct AccessLog: Sendable, Equatable {
    public enum Lines: Sendable {
        case none
        /// Those whose answer is an error.
        case errors
        case all
    }

    /// None have.
    public static let off = AccessLog(.none)

    private let lines: Lines
    /// Of those that are no errors, the ones whose number is below; nil: all of them.
    private let bound: UInt64?

    /// `sample`: the share of `all` that is written of what is no error, in 0…1.
    public init(_ lines: Lines, sample: Double = 1) {
        self.lines = lines
        // The largest Double below 1 gives a number that fits.
        bound = sample < 1 ? UInt64(max(sample, 0) * 0x1p64) : nil
    }

    /// Whether any request may have a line.
    var isOn: Bool { lines != .none }

    /// Whether a request has a line. Its `number` decides, which is as good as random, so that nothing need be remembered.
    func wants(_ number: UInt64, isError: Bool) -> Bool {
        switch lines {
        case .none: false
        case .errors: isError
        case .all: isError || bound.map { number < $0 } ?? true
        }
    }
}
