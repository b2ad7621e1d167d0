/// What was found of one part of an installation, in a line, and what to change where it is not well.
package struct Finding: Sendable, Equatable {
    package enum Level: String, Sendable, CaseIterable {
        /// As it should be.
        case ok
        /// It serves, but not as the operator may expect.
        case warning
        /// It does not serve, or will not.
        case fault
    }

    /// What was measured, for programs.
    package enum Figure: Sendable, Equatable, Encodable {
        case number(Double)
        case text(String)

        /// The number or the text alone.
        package func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .number(let number): try container.encode(number)
            case .text(let text): try container.encode(text)
            }
        }
    }

    package let level: Level
    /// The key that it is about, such as `layers.osm`, or a word for what has none, such as `clock`.
    package let subject: String
    /// What was found, in one line.
    package let text: String
    /// What to change, beginning with the key where one is to be changed; nil where all is well.
    package var advice: String?
    /// By name.
    package var figures: [String: Figure] = [:]

    package static func ok(_ subject: String, _ text: String) -> Finding {
        Finding(level: .ok, subject: subject, text: text)
    }

    package static func warning(_ subject: String, _ text: String, _ advice: String) -> Finding {
        Finding(level: .warning, subject: subject, text: text, advice: advice)
    }

    package static func fault(_ subject: String, _ text: String, _ advice: String) -> Finding {
        Finding(level: .fault, subject: subject, text: text, advice: advice)
    }
}

/// How findings write what they measured.
enum Measure {
    /// Such as `256 MiB`; whole numbers below ten of a unit are written in the next smaller one.
    static func bytes(_ count: Int) -> String {
        let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]
        var (value, unit) = (count, 0)
        while value >= 10_240, unit < units.count - 1 { (value, unit) = (value / 1_024, unit + 1) }
        if value >= 1_024, value.isMultiple(of: 1_024), unit < units.count - 1 {
            (value, unit) = (value / 1_024, unit + 1)
        }
        return "\(value) \(units[unit])"
    }

    /// Such as `12 ms` and `2.5 s`.
    static func seconds(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds < 1e9 else { return "no end" }
        let milliseconds = Int((max(seconds, 0) * 1_000).rounded())
        return milliseconds < 1_000
            ? "\(milliseconds) ms" : "\(milliseconds / 1_000).\(milliseconds % 1_000 / 100) s"
    }
}
