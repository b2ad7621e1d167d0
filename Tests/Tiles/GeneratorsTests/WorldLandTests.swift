import Generators
import Testing

/// Tests for the proportion of land in boxes of degrees.
struct WorldLandTests {
    /// The boxes are in the Sahara, the Atlantic, Paris, Lake Superior (which counts as land here), the Antarctic and
    /// the South Pacific across the antimeridian. Two larger boxes follow.
    @Test(arguments: [
        ([0, 20, 10, 25], 1.0...1), ([-40, -30, -30, -20], 0...0), ([2.2, 48.8, 2.4, 48.9], 1...1),
        ([-88, 47.2, -87.5, 47.8], 1...1), ([0, -89, 90, -70], 0...0), ([170, -60, -170, -50], 0...0),
        ([60, 50, -60, 70], 0.3...0.7), ([-180, -90, 180, 90], 0.2...0.5),
    ])
    func computesProportionOfLand(box: [Double], part: ClosedRange<Double>) {
        #expect(part.contains(WorldLand.part(west: box[0], south: box[1], east: box[2], north: box[3])))
    }
}
