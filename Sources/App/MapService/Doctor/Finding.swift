/// The result of one check of an installation, with advice if something is wrong.
package struct Finding: Sendable, Equatable {
    package enum Level: String, Sendable, CaseIterable {
        /// Everything is right.
        case ok
        /// The server works, but perhaps not as the operator expects.
        case warning
        /// The server does not work, or will stop working.
        case fault
    }

    /// A measured value in a finding, for programs that read the findings.
    package enum Figure: Sendable, Equatable, Encodable {
        case number(Double)
        case text(String)

        /// Encodes the number or the text without a wrapper.
        package func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .number(let number): try container.encode(number)
            case .text(let text): try container.encode(text)
            }
        }
    }

    package let level: Level
    /// The key that the finding is about, such as `layers.osm`, or another word such as `clock`.
    package let subject: String
    /// The result in one line.
    package let text: String
    /// The recommended change. For a change of the configuration, the text usually begins with the key that must
    /// change. Nil if everything is right.
    package var advice: String?
    /// Measured values by name.
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

/// Formats measured values as short texts for people.
enum Measure {
    /// Returns a text such as `256 MiB`. A value below ten units is given in the next smaller unit, unless it is a
    /// whole number.
    static func bytes(_ count: Int) -> String {
        let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]
        var (value, unit) = (count, 0)
        while value >= 10_240, unit < units.count - 1 { (value, unit) = (value / 1_024, unit + 1) }
        if value >= 1_024, value.isMultiple(of: 1_024), unit < units.count - 1 {
            (value, unit) = (value / 1_024, unit + 1)
        }
        return "\(value) \(units[unit])"
    }

    /// Returns a text such as `12 ms` or `2.5 s`.
    static func seconds(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds < 1e9 else { return "no end" }
        let milliseconds = Int((max(seconds, 0) * 1_000).rounded())
        return milliseconds < 1_000
            ? "\(milliseconds) ms" : "\(milliseconds / 1_000).\(milliseconds % 1_000 / 100) s"
    }
}
