/// The reason why a value is invalid that was set in code and not in a configuration file. It says what was expected
/// and what was found.
package struct Refusal: Sendable, Equatable {
    /// The key with the keys above it, such as `png.quantize`. Empty for a value without a key.
    package var key = ""
    /// The expected values, such as `a value in 0…30`.
    package let expected: String
    package let found: String

    package init(key: String = "", expected: String, found: String) {
        self.key = key
        self.expected = expected
        self.found = found
    }

    /// `expected … , found …`, without the key.
    package var message: String { "expected \(expected), found \(found)" }
}

extension Sequence {
    /// Returns the refusal of the first key whose value in `settings` is invalid. Returns nil if all values are valid.
    package func refusal<Settings>(of settings: Settings) -> Refusal? where Element == Key<Settings> {
        for key in self {
            guard var refusal = key.refusal(settings) else { continue }
            refusal.key = refusal.key.isEmpty ? key.name : "\(key.name).\(refusal.key)"
            return refusal
        }
        return nil
    }
}

extension Comparable {
    /// Returns the refusal of this value if it is outside `range`.
    func refusal(outside range: ClosedRange<Self>) -> Refusal? {
        range.contains(self)
            ? nil : Refusal(expected: "a value in \(range.lowerBound)…\(range.upperBound)", found: "\(self)")
    }
}

extension ClosedRange<Int> {
    /// Default range for the length of a list.
    package static var listCount: ClosedRange { 0...1_000 }

    /// The range as text, for a list's length.
    var asCount: String { "a list of \(count == 1 ? "\(lowerBound)" : "\(lowerBound)…\(upperBound)") values" }

    /// Returns the refusal of `list` if its length is outside this range.
    package func refusal(of list: [some Any]) -> Refusal? {
        contains(list.count) ? nil : Refusal(expected: asCount, found: "\(list.count)")
    }
}
