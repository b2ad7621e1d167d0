import CHarfBuzz
import Testing

@testable import Text

/// How a line of text is split into runs of one script and one direction (UAX #9, UAX #24).
@Suite struct TextRunsTests {
    private func runs(_ text: String) -> TextRuns { TextRuns(text, .standard) }

    private func texts(_ runs: [TextRun], _ all: TextRuns) -> [String] {
        runs.map { run in
            String(String.UnicodeScalarView(all.scalars[run.scalars].compactMap(Unicode.Scalar.init)))
        }
    }

    @Test func keepsALineOfOneScriptTogether() {
        let found = runs("Hello, World 49.25°N (1)")
        #expect(found.runs.count == 1 && found.runs[0].script == HB_SCRIPT_LATIN && found.runs[0].level == 0)
        #expect(runs("").runs.isEmpty && runs("12.5°").runs.map(\.script) == [HB_SCRIPT_COMMON])
    }

    @Test func splitsScripts() {
        let found = runs("Sofia София Αθήνα")
        #expect(texts(found.runs, found) == ["Sofia ", "София ", "Αθήνα"])
        #expect(found.runs.map(\.script) == [HB_SCRIPT_LATIN, HB_SCRIPT_CYRILLIC, HB_SCRIPT_GREEK])
    }

    @Test func ordersMixedDirections() {
        let found = runs("abc אבג 12 דה def")
        #expect(texts(found.visual, found) == ["abc ", " דה", "12", "אבג ", " ", "def"])
        // The first strong letter decides the direction of the line.
        let other = runs("אבג abc")
        #expect(texts(other.visual, other) == ["abc", "אבג "])
        #expect(other.runs.map(\.level) == [1, 2])
    }
}
