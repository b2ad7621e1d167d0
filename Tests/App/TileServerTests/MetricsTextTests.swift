import TestSupport
import Testing

@testable import TileServer

@Suite struct MetricsTextTests {
    @Test func escapesLabels() throws {
        let value = "a\\b\"c\nd {}=,\u{e9}\u{1F600}"
        var text = MetricsText()
        text.add("family", .gauge, help: "Words.", [.init(1, ("name", value))])
        #expect(text.text.split(separator: "\n").count == 3)
        #expect(text.text.contains(#"a\\b\"c\nd {}"#))
        #expect(try Exposition(text.text).samples[0].labels == ["name": value])
    }

    @Test func writesNumbersExactly() {
        #expect(MetricsText.number(9_007_199_254_740_991) == "9007199254740991")
        #expect(MetricsText.number(0) == "0" && MetricsText.number(-3) == "-3")
        #expect(MetricsText.number(0.0005) == "0.0005" && MetricsText.number(2.5) == "2.5")
        #expect(MetricsText.number(.infinity) == "+Inf" && MetricsText.number(-.infinity) == "-Inf")
        #expect(MetricsText.number(.nan) == "NaN")
    }

    @Test func omitsAFamilyWithoutSamples() {
        var text = MetricsText()
        text.add("family", .gauge, help: "Words.", [])
        text.add("other", .gauge, help: "Words.", nil as Int?)
        #expect(text.text.isEmpty)
    }
}
