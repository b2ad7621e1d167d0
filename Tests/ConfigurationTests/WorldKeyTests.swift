import Configuration
import Testing

/// The colours of the generator `world`.
struct WorldKeyTests {
    @Test func bindsEveryColor() throws {
        let keys = WorldColor.allCases.enumerated().map { "\($1.rawValue): \"#00000\($0)80\"" }.joined(separator: ", ")
        let colors = WorldColor.allCases.enumerated().map { number, part in
            (part, Color(red: 0, green: 0, blue: UInt8(number), alpha: 128))
        }
        let found = try layer("generator: world, \(keys)")
        #expect(found?.source == .generator(.world(colors: Dictionary(uniqueKeysWithValues: colors))))
    }

    @Test func leavesTheOthersToTheMap() throws {
        #expect(try layer("generator: world")?.source == .generator(.world(colors: [:])))
        let found = try layer("generator: world, lake: \"#fff\"")
        #expect(found?.source == .generator(.world(colors: [.lake: Color(red: 255, green: 255, blue: 255)])))
    }

    @Test(arguments: [
        ("world, water: blue", "water: expected a colour such as \"#3366cc\", found the text \"blue\""),
        ("grid, water: \"#fff\"", "water: the generator grid does not have this key, only color or background"),
    ])
    func refusesOthers(keys: String, complaint: String) {
        let found = problems("layers: { a: { generator: \(keys) } }")
        #expect(found.count == 1 && found.first?.hasSuffix(" layers.a.\(complaint)") == true, "\(found)")
    }
}
