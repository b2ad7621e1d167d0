import MapGeometry
import MapRenderer
import Testing

struct EncodedPolylineTests {
    // The example in the description of the algorithm.
    @Test func readsTheExample() throws {
        let places = try EncodedPolyline.decode("_p~iF~ps|U_ulLnnqC_mqNvxq`@", limit: 3)
        let expected = [(38.5, -120.2), (40.7, -120.95), (43.252, -126.453)]
        #expect(places.count == 3)
        for (place, (latitude, longitude)) in zip(places, expected) {
            #expect(abs(place.latitude - latitude) < 1e-9 && abs(place.longitude - longitude) < 1e-9)
        }
    }

    // The number -179.9832104 is another example in the description.
    @Test func readsNegativeNumbers() throws {
        let places = try EncodedPolyline.decode("?`~oia@", limit: 1)
        #expect(places.first?.latitude == 0)
        #expect(places.first.map { abs($0.longitude + 179.98321) < 1e-9 } == true)
    }

    /// 90 degrees north and south.
    @Test func readsThePoles() throws {
        #expect(try EncodedPolyline.decode("_cidP?", limit: 1).map(\.latitude) == [90])
        #expect(try EncodedPolyline.decode("~bidP?", limit: 1).map(\.latitude) == [-90])
    }

    @Test func readsAnEmptyLine() throws {
        #expect(try EncodedPolyline.decode("", limit: 0).isEmpty)
    }

    @Test(arguments: [
        ("_p~iF", EncodedPolyline.DecodingError.incomplete), ("_p~iF~ps", .incomplete), ("_", .incomplete),
        ("_p~iF~ps|U!", .unexpectedCharacter(offset: 10)), ("_p iF", .unexpectedCharacter(offset: 2)),
        ("é", .unexpectedCharacter(offset: 0)), ("~~~~~~~~~~~~~~~~~~?", .outOfRange(offset: 0)),
        ("_p~iF~ps|U~~~~~~?", .outOfRange(offset: 10)), ("____~?", .incomplete), ("_p~iF~ps|U??", .tooMany(limit: 1)),
        // 90.00001 degrees.
        ("acidP?", .outOfRange(offset: 0)),
    ])
    func refusesInvalidLines(text: String, failure: EncodedPolyline.DecodingError) {
        #expect(throws: failure) { try EncodedPolyline.decode(text, limit: 1) }
    }
}
