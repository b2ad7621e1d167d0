import Configuration
import Testing

/// Tests of the keys of the generators `relief`, `mandelbrot` and `daylight`.
@Suite struct ProceduralKeyTests {
    static let keys: [(String, String?)] = [
        ("relief, seed: 4294967295, palette: desert, sunAzimuth: 360, sunAltitude: 1, shading: 0", nil),
        ("relief, seed: -1", "seed: -1 is below 0"),
        ("relief, seed: 4294967296", "seed: 4294967296 is above 4294967295"),
        ("relief, palette: dusk", "palette: expected atlas, desert, winter or gray, found the text \"dusk\""),
        ("relief, sunAzimuth: 361", "sunAzimuth: 361 is above 360"),
        ("relief, sunAltitude: 0.5", "sunAltitude: 0.5 is below 1"),
        ("relief, shading: 2.1", "shading: 2.1 is above 2"),
        ("relief, colors: [\"#000\", \"#fff\"]", "colors: expected a list of 6 values, found 2"),
        (
            "relief, palette: gray, colors: [\"#000\", \"#111\", \"#222\", \"#333\", \"#444\", \"#555\"]",
            "colors: cannot be set beside palette"
        ),
        (
            "relief, cells: 4",
            "cells: the generator relief does not have this key, only seed, palette, colors, sunAzimuth, "
                + "sunAltitude or shading"
        ),
        ("mandelbrot, center: [-4, 4], width: 0.001, palette: fire, interior: \"#123\"", nil),
        ("mandelbrot, center: [0]", "center: expected a list of 2 values, found 1"),
        ("mandelbrot, center: [0, 4.1]", "center[1]: 4.1 is above 4"),
        ("mandelbrot, width: 0", "width: 0 is below 0.001"), ("mandelbrot, width: 17", "width: 17 is above 16"),
        ("mandelbrot, palette: fier", "palette: expected dusk, fire, ice or gray, found \"fier\" (did you mean fire?)"),
        ("mandelbrot, colors: [\"#000\"]", "colors: expected a list of 2…16 values, found 1"),
        (
            "mandelbrot, seed: 1",
            "seed: the generator mandelbrot does not have this key, only center, width, palette, colors or interior"
        ),
        ("daylight, time: now, refresh: 1d, color: \"#00000080\", twilight: steps", nil),
        ("daylight, time: 2026-06-21T12:00:00Z", nil), ("daylight, time: \"2026-06-21T12:00:00Z\"", nil),
        ("daylight, refresh: 0s", "refresh: 0s is below 1s"), ("daylight, refresh: 25h", "refresh: 25h is above 1d"),
        ("daylight, refresh: 1500ms", "refresh: expected whole seconds, found 1500ms"),
        ("daylight, time: 2026-06-21T12:00:00Z, refresh: 5m", "refresh: cannot be set with a fixed time"),
        ("daylight, twilight: stepps", "twilight: expected smooth or steps, found \"stepps\" (did you mean steps?)"),
        (
            "daylight, time: noon",
            "time: expected now or a time such as 2026-06-21T12:00:00Z, found the text \"noon\""
        ),
    ]

    @Test(arguments: keys)
    func judgesEveryKey(keys: String, complaint: String?) {
        let found = problems("layers: { a: { generator: \(keys) } }")
        #expect(found.count == (complaint == nil ? 0 : 1))
        if let complaint { #expect(found.first?.hasSuffix(" layers.a.\(complaint)") == true, "\(found)") }
    }

    @Test func bindsEveryKey() throws {
        func generator(_ keys: String) throws -> LayerSource? {
            try parsed("layers: { a: { generator: \(keys) } }").layers.first?.source
        }
        #expect(try generator("relief") == .generator(.relief(ReliefSource())))
        var relief = ReliefSource()
        (relief.seed, relief.palette, relief.sunAzimuth, relief.sunAltitude) = (7, .winter, 90, 30.5)
        relief.shading = 0.25
        #expect(
            try generator("relief, seed: 7, palette: winter, sunAzimuth: 90, sunAltitude: 30.5, shading: 0.25")
                == .generator(.relief(relief)))
        var mandelbrot = MandelbrotSource()
        (mandelbrot.real, mandelbrot.imaginary, mandelbrot.width, mandelbrot.palette) = (-1.5, 0.25, 0.5, .ice)
        #expect(
            try generator("mandelbrot, center: [-1.5, 0.25], width: 0.5, palette: ice")
                == .generator(.mandelbrot(mandelbrot)))
        let (black, white) = (RGBA(red: 0, green: 0, blue: 0), RGBA(red: 255, green: 255, blue: 255))
        mandelbrot = MandelbrotSource()
        (mandelbrot.colors, mandelbrot.interior) = ([black, white], white)
        #expect(
            try generator("mandelbrot, colors: [\"#000\", \"#fff\"], interior: \"#fff\"")
                == .generator(.mandelbrot(mandelbrot)))
        var daylight = DaylightSource()
        (daylight.refresh, daylight.color, daylight.twilight) = (.seconds(300), black, .steps)
        #expect(
            try generator("daylight, refresh: 5m, color: \"#000\", twilight: steps") == .generator(.daylight(daylight)))
    }

    /// The seconds were computed by Python's `datetime`. The years 1 and 9999 use its proleptic calendar.
    static let times: [(String, Double?)] = [
        ("1970-01-01T00:00:00Z", 0), ("2026-06-21T12:00:00Z", 1_782_043_200),
        ("2026-06-21t12:00:00.25z", 1_782_043_200.25),
        ("2026-06-21T14:30:00+02:30", 1_782_043_200), ("2026-06-21T05:00:00-07:00", 1_782_043_200),
        ("2000-02-29T23:59:59Z", 951_868_799), ("1999-12-31T23:59:60Z", 946_684_800),
        ("0001-01-01T00:00:00Z", -62_135_596_800), ("9999-12-31T23:59:59Z", 253_402_300_799),
        ("2026-06-21", nil), ("2026-06-21T12:00Z", nil), ("2026-06-21T12:00:00", nil), ("2026-02-29T00:00:00Z", nil),
        ("2026-13-01T00:00:00Z", nil), ("2026-00-01T00:00:00Z", nil), ("2026-06-31T00:00:00Z", nil),
        ("2026-06-21T24:00:00Z", nil), ("2026-06-21T12:60:00Z", nil), ("2026-06-21T12:00:61Z", nil),
        ("2026-06-21T12:00:00.Z", nil), ("2026-06-21T12:00:00+25:00", nil), ("2026-06-21T12:00:00Zz", nil),
        ("26-06-21T12:00:00Z", nil), ("+026-06-21T12:00:00Z", nil), ("0000-06-21T12:00:00Z", nil), ("now ", nil),
    ]

    @Test(arguments: times)
    func readsTimestamps(text: String, seconds: Double?) {
        let found = try? parsed("layers: { a: { generator: daylight, time: \"\(text)\" } }").layers.first?.source
        var expected = DaylightSource()
        expected.time = .fixed(seconds ?? 0)
        // An invalid time throws, and `try?` turns the error into nil.
        #expect(found == (seconds == nil ? nil : .generator(.daylight(expected))))
    }

    /// `minTTL` has no default of 5 minutes for a generator: the generator itself sets how long its tiles are fresh.
    @Test func setsNoMinimumTTLForGenerators() throws {
        let text = "layers: { a: { generator: daylight }, b: { generator: solid, minTTL: 1m }, c: { url: u } }"
        #expect(try parsed(text).layers.map(\.minTTL) == [.zero, .seconds(60), .seconds(300)])
    }
}
