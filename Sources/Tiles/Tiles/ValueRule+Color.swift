import Keys
import Raster

extension ValueRule where Value == RGBA {
    /// A colour as `"#rgb"`, `"#rrggbb"` or `"#rrggbbaa"`.
    package static var color: ValueRule {
        ValueRule(
            expected: "a colour such as \"#3366cc\"", schema: ["type": "string", "pattern": colorPattern],
            write: { .text($0.text) }
        ) { scalar throws(ValueError) in
            if scalar.isNull, !scalar.isSubstituted {
                throw ValueError(
                    "expected a colour such as \"#3366cc\", found nothing (without quotes # begins a comment)")
            }
            return scalar.string.flatMap(RGBA.init)
        }
    }

    /// A colour like `color`, or `none` for an invisible one.
    package static var colorOrNone: ValueRule {
        ValueRule(
            expected: "a colour such as \"#3366cc\", or none",
            schema: ["anyOf": [["const": "none"], ["type": "string", "pattern": colorPattern]]],
            values: "a colour, `none`", write: { $0.alpha == 0 ? "none" : .text($0.text) }
        ) { scalar throws(ValueError) in
            scalar.string == "none" ? RGBA.transparent : try color.read(scalar)
        }
    }

    private static var colorPattern: SchemaValue { "^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})$" }
}
