import Foundation
import MapGeometry
import Raster
import TestPictures
import Testing

@testable import Generators
@testable import Tiles

@Suite struct GeneratorDaylightTests {
    /// Altitudes of the sun in degrees, computed by an independent program (PyEphem 4.2, VSOP87) without refraction.
    /// Times are seconds since 1970 UTC.
    static let altitudes: [(time: Double, latitude: Double, longitude: Double, altitude: Double)] = [
        (1_782_043_200, 51.4779, 0, 61.9566), (1_797_892_215, 49.26, -123.11, 10.9408),
        (1_774_017_960, 0, 0, 50.3491), (946_728_000, -33.8683, 151.2086, -26.5077),
        (-609_972_000, 64.15, -21.94, -14.9955), (4_098_105_930, -77.85, 166.67, 17.6688),
        (1_709_164_800, 35.68, 139.69, 30.2989), (545_080_860, -54.8, -68.3, 18.2729),
        (1_786_556_760, 65.2, -25.2, 25.7446),
    ]

    @Test(arguments: altitudes.indices)
    func sunAltitudeMatchesAlmanac(index: Int) {
        let sample = Self.altitudes[index]
        let sun = SolarPosition(secondsSince1970: sample.time)
        let altitude = sun.altitude(latitude: sample.latitude * .pi / 180, longitude: sample.longitude * .pi / 180)
        #expect(abs(altitude * 180 / .pi - sample.altitude) < 0.02)
    }

    /// At the equinox of 2026, the night is the half of the world opposite the sun's meridian.
    @Test func nightIsOppositeTheSun() throws {
        let layer = DaylightLayer(moment: .fixed(1_774_017_960), color: RGBA(red: 1, green: 2, blue: 3, alpha: 200))
        let pixmap = try image(layer.tile(x: 0, y: 0, zoom: 0))
        // At 14:46 UTC it is noon at 40° W and midnight at 140° E.
        let (noon, midnight) = (256 * 140 / 360, 256 * 320 / 360)
        for row in [0, 64, 128, 192, 255] {
            #expect(pixmap.color(noon, row) == .transparent)
            let night = pixmap.color(midnight, row)
            if (40...216).contains(row) { #expect(night == RGBA(red: 1, green: 2, blue: 3, alpha: 200)) }
        }
    }

    /// On the equator, `steps` gives each band of twilight its own shade. Otherwise, the shade only gets darker from
    /// sunset to night.
    @Test(arguments: DaylightLayer.Twilight.allCases)
    func shadeDeepensWithDepthOfSun(twilight: DaylightLayer.Twilight) throws {
        let time = 1_774_017_960.0
        let color = RGBA(red: 0, green: 0, blue: 0, alpha: 240)
        let layer = DaylightLayer(moment: .fixed(time), color: color, twilight: twilight)
        let sun = SolarPosition(secondsSince1970: time)
        var last: UInt8 = 0
        for x in 20..<26 {
            let pixmap = try image(layer.tile(x: x, y: 16, zoom: 5))
            for column in stride(from: 0, to: 256, by: 4) {
                let longitude = ((Double(x) + (Double(column) + 0.5) / 256) / 32 * 2 - 1) * Double.pi
                let altitude = sun.altitude(latitude: 0, longitude: longitude) * 180 / .pi
                let alpha = pixmap.color(column, 0).alpha
                if twilight == .steps {
                    let edges = [-0.833, -6, -12, -18]
                    guard edges.allSatisfy({ abs($0 - altitude) > 0.3 }) else { continue }
                    #expect(Int(alpha) == 60 * edges.count { altitude < $0 })
                } else {
                    #expect(alpha >= last)
                    if altitude > -0.8 { #expect(alpha == 0) }
                    if altitude < -18.1 { #expect(alpha == 240) }
                    if abs(altitude + 9.42) < 0.1 { #expect((115...125).contains(alpha)) }
                    last = alpha
                }
            }
        }
    }

    @Test(arguments: Seams.squares.indices, DaylightLayer.Twilight.allCases)
    func quartersMatchWholePicture(index: Int, twilight: DaylightLayer.Twilight) {
        let layer = DaylightLayer(moment: .fixed(1_774_017_960), twilight: twilight)
        Seams.quartersMakeUp(Seams.squares[index]) { layer.picture(of: $0) }
    }

    @Test func drawsEverywhere() throws {
        try Seams.drawsEverywhere(DaylightLayer(moment: .fixed(0), twilight: .steps), points: 256)
        try Seams.drawsEverywhere(DaylightLayer(moment: .fixed(0), tileSize: .double), points: 512)
        #expect(try image(DaylightLayer(moment: .fixed(0)).tile(x: 0, y: 0, zoom: 0, scale: 2)).width == 512)
    }

    @Test(arguments: [0, -62_135_596_800, 253_402_300_799, 1e300, -1e300, .nan, .infinity])
    func drawsAtAnyTime(time: Double) {
        let frame = TileFrame(left: 0, top: 0, side: 64, scale: 1, worldSide: 64)
        let clocked = DaylightLayer(moment: .now(refresh: 0), clock: { time })
        #expect(clocked.picture(of: frame) != Pixmap(width: 64, height: 64))
        #expect(DaylightLayer(moment: .fixed(time)).picture(of: frame) != Pixmap(width: 64, height: 64))
        #expect(clocked.lifetime == 1)
    }

    /// A picture is valid for a span of the clock, which is the same for all tiles. The picture shows the middle of
    /// the span.
    @Test func changesAtEndOfEachSpan() throws {
        func picture(_ time: Double) throws -> Pixmap {
            let layer = DaylightLayer(moment: .now(refresh: 600), clock: { time })
            return try image(layer.tile(x: 5, y: 4, zoom: 3))
        }
        let start = 1_774_017_600.0
        let first = try picture(start)
        #expect(try picture(start + 599.9) == first)
        #expect(try picture(start + 600) != first)
        #expect(try image(DaylightLayer(moment: .fixed(start + 300)).tile(x: 5, y: 4, zoom: 3)) == first)
        for (time, left) in [(start, 600), (start + 0.5, 600), (start + 540, 60), (start + 599.9, 1)] {
            #expect(DaylightLayer(moment: .now(refresh: 600), clock: { time }).lifetime == left)
        }
        #expect(DaylightLayer(moment: .fixed(start)).lifetime == nil)
    }
}

extension SolarPosition {
    /// Returns the altitude of the sun's centre above the horizon, without refraction. All angles are in radians.
    fileprivate func altitude(latitude: Double, longitude: Double) -> Double {
        let sine =
            sin(latitude) * sin(declination) + cos(latitude) * cos(declination) * cos(longitude - self.longitude)
        return asin(min(max(sine, -1), 1))
    }
}
