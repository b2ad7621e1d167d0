import Testing

@testable import MapService

@Suite struct LayerGenerationsTests {
    @Test func keepsTheGenerationOfALayerName() {
        var generations = LayerGenerations()
        let first = generations.generation(of: "sea") { _ in 7 }
        #expect(generations.generation(of: "sea") { _ in 9 } === first)
        #expect(first.current == 7)
    }

    @Test func forgetsTheOldestUnservedNames() {
        var generations = LayerGenerations()
        for number in 1...9 { _ = generations.generation(of: "layer\(number)") { _ in UInt32(number) } }
        // Forgets three of the six names that are not served.
        generations.forgetOldest(butFor: 3) { $0 > "layer3" }
        let found = (1...9).map { number in generations.generation(of: "layer\(number)") { _ in 100 }.current }
        #expect(found == [1, 2, 3, 100, 100, 100, 7, 8, 9])
    }
}
