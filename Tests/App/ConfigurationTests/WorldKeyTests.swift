import Configuration
import Testing

/// Tests of the color keys of the generator `world`.
struct WorldKeyTests {
    @Test func bindsEveryColor() throws {
        let names = ["water", "shallows", "land", "lake", "coast", "boundary", "place", "text", "halo"]
        let keys = names.enumerated().map { "\($1): \"#00000\($0)80\"" }.joined(separator: ", ")
        let colors = names.indices.map { RGBA(red: 0, green: 0, blue: UInt8($0), alpha: 128) }
        var expected = WorldColors()
        (expected.water, expected.shallows, expected.land) = (colors[0], colors[1], colors[2])
        (expected.lake, expected.coast, expected.boundary) = (colors[3], colors[4], colors[5])
        (expected.place, expected.text, expected.halo) = (colors[6], colors[7], colors[8])
        (expected.labels, expected.language) = (false, "ja")
        let found = try layer("generator: world, labels: false, language: ja, \(keys)")
        #expect(found?.source == .generator(.world(colors: expected)))
    }

    @Test func usesDefaultsForMissingColors() throws {
        #expect(try layer("generator: world")?.source == .generator(.world(colors: WorldColors())))
        var expected = WorldColors()
        expected.lake = RGBA(red: 255, green: 255, blue: 255)
        let found = try layer("generator: world, lake: \"#fff\"")
        #expect(found?.source == .generator(.world(colors: expected)))
    }

    @Test func changesColorsOfAPalette() throws {
        var expected = WorldColors(palette: .dark)
        #expect(expected != WorldColors() && WorldColors(palette: .light) == WorldColors())
        #expect(try layer("generator: world, palette: dark")?.source == .generator(.world(colors: expected)))
        expected.water = RGBA(red: 0, green: 0, blue: 0)
        let found = try layer("generator: world, water: \"#000\", palette: dark")
        #expect(found?.source == .generator(.world(colors: expected)))
    }

    @Test func refusesAnUnknownLanguage() {
        let found = problems("layers: { a: { generator: world, language: xx } }")
        let expected = "layers.a.language: expected en, de, fr, "
        #expect(found.count == 1 && found.first?.contains(expected) == true, "\(found)")
    }

    @Test(arguments: [
        ("world, water: blue", "water: expected a colour such as \"#3366cc\", found the text \"blue\""),
        ("grid, water: \"#fff\"", "water: the generator grid does not have this key, only color, background or labels"),
    ])
    func refusesInvalidColorsAndOtherGenerators(keys: String, complaint: String) {
        let found = problems("layers: { a: { generator: \(keys) } }")
        #expect(found.count == 1 && found.first?.hasSuffix(" layers.a.\(complaint)") == true, "\(found)")
    }
}
