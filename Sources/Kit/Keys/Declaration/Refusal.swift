/// Why a value that was set in code is refused.
package struct Refusal: Sendable, Equatable {
    /// Its key behind the keys above, such as `png.quantize`; empty for a value alone.
    package var key = ""
    /// Such as `in 0…30`.
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
    /// What is wrong with the first of these keys whose value in `settings` is refused.
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
    /// Why this is refused where it is not in `range`.
    func refusal(outside range: ClosedRange<Self>) -> Refusal? {
        range.contains(self)
            ? nil : Refusal(expected: "a value in \(range.lowerBound)…\(range.upperBound)", found: "\(self)")
    }
}

extension ClosedRange<Int> {
    /// How many values a list may have unless its key says otherwise.
    package static var listCount: ClosedRange { 0...1_000 }

    /// A list of so many values, in words.
    var asCount: String { "a list of \(count == 1 ? "\(lowerBound)" : "\(lowerBound)…\(upperBound)") values" }

    /// Why `list` is refused where these are the counts it may have.
    package func refusal(of list: [some Any]) -> Refusal? {
        contains(list.count) ? nil : Refusal(expected: asCount, found: "\(list.count)")
    }
}
