import Testing

@testable import Text

/// Where a line of text may end.
@Suite struct LineBreaksTests {
    @Test(arguments: [
        ("© OpenStreetMap contributors", ["© ", "OpenStreetMap ", "contributors"]),
        ("a\u{A0}b c", ["a\u{A0}b ", "c"]),
        ("  two  spaces ", ["two  ", "spaces "]),
        ("Baden-Württemberg -5", ["Baden-", "Württemberg ", "-5"]),
        ("国土地理院「地図」、", ["国", "土", "地", "理", "院", "「地", "図」、"]),
        ("データー", ["デー", "ター"]),
        ("서울 Seoul", ["서", "울 ", "Seoul"]),
        ("กรุงเทพมหานคร", ["กรุงเทพมหานคร"]),
        ("", []), (" ", []), ("\r\n", []),
    ])
    func endsLinesAtSpacesHyphensAndIdeographs(text: String, expected: [String]) {
        #expect(LineBreaks.pieces(of: text) == expected)
    }

    @Test func wrapsWithinTheWidth() {
        let font = Font(size: 11, .standard)
        let text = "© OpenStreetMap contributors"
        #expect(font.lines(of: text, width: 1_000, most: 2) == [text])
        #expect(font.lines(of: text, width: 110, most: 2) == ["© OpenStreetMap", "contributors"])
        for line in font.lines(of: text, width: 50, most: 2) { #expect(font.width(of: line) <= 50, "\(line)") }
        #expect(font.lines(of: "a b c d", width: 1, most: 3).count == 3)
        #expect(font.lines(of: " \n ", width: 100, most: 2).isEmpty)
    }

    @Test func endsALineThatIsTooLongWithAnEllipsis() {
        let font = Font(size: 11, .standard)
        let lines = font.lines(of: String(repeating: "word ", count: 10_000), width: 200, most: 2)
        #expect(lines.count == 2 && lines[1].hasSuffix("…") && !lines[0].hasSuffix("…"))
        for line in lines { #expect(font.width(of: line) <= 200) }
        let long = font.lines(of: String(repeating: "x", count: 100_000), width: 200, most: 2)
        #expect(long.count == 1 && long[0].hasSuffix("…") && font.width(of: long[0]) <= 200)
        #expect(font.lines(of: "é" + String(repeating: "\u{301}", count: 65_536), width: 3, most: 2).count == 1)
    }
}
