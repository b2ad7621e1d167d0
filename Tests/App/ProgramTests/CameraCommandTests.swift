import Foundation
import Glibc
import TestSupport
import Testing

/// Tests of `tileserver camera` as a process.
@Suite(.blocking) struct CameraCommandTests {
    private func run(_ line: String, configuration: String? = nil) throws -> (
        output: String, errors: String, end: Program.End?
    ) {
        let program = try Program(
            ["camera"] + line.split(separator: " ").map(String.init), configuration: configuration)
        let output = program.lines(of: program.output) { _ in false }.joined(separator: "\n")
        let errors = program.lines(of: program.errors) { _ in false }.joined(separator: "\n")
        return (output, errors, program.ending())
    }

    /// The samples T-FIT-1, T-UPD-5, T-UPD-8 and T-UPD-10. Negative numbers are not parsed as options.
    @Test(arguments: [
        (
            "--target 49.26,-123.11 --zoom 10 --size 800x600 fit-bounds 49.26,-123.11,51.05,-114.05",
            "target 50.163378172,-118.58|zoom 6.704659469|bearing 0|tilt 0"
        ),
        (
            "--target 0,0 --zoom 2 --bearing -270 --size 800x600 scroll-by 200,100",
            "target -57.326521225,-35.15625|zoom 2|bearing 90|tilt 0|clamped bearing"
        ),
        (
            "--target -33.8683,151.2086 --zoom 16 --tilt 45 --size 800x600 scroll-by 0,-100",
            "target -33.865465325,151.2086|zoom 16|bearing 0|tilt 45"
        ),
        (
            "--target 49.26,-123.11 --zoom 10 --size 800x600 zoom-by -2 0,0",
            "target 48.44677651,-121.462050781|zoom 8|bearing 0|tilt 0"
        ),
        ("", "target 0,0|zoom 0|bearing 0|tilt 0"), ("--min-zoom 3", "target 0,0|zoom 3|bearing 0|tilt 0"),
        ("zoom-in zoom-in zoom-by -0.5 zoom-out", "target 0,0|zoom 0.5|bearing 0|tilt 0"),
        (
            "set-target 100,480 4 zoom-to 16 to-viewing-angle 90 to-bearing 30",
            "target 85,120|zoom 16|bearing 30|tilt 65|clamped lat, lng, viewingAngle"
        ),
        ("set-camera -5,-6,7,8,9", "target -5,-6|zoom 7|bearing 8|tilt 9"),
        ("set-camera tilt=9,lng=-6,zoom=7,lat=-5", "target -5,-6|zoom 7|bearing 0|tilt 9"),
        ("--target lon=2,latitude=-1 --zoom 3 set-target lng=4,lat=5", "target 5,4|zoom 3|bearing 0|tilt 0"),
        ("to-location -1,2 to-zoom 3", "target -1,2|zoom 3|bearing 0|tilt 0"),
    ])
    func printsTheResultingCamera(line: String, expected: String) throws {
        let (output, errors, end) = try run(line)
        #expect(end == .status(0) && errors.isEmpty, "\(errors)")
        let lines = output.split(separator: "\n").map { $0.replacing(/\s+/, with: " ") }
        let told = lines.prefix { !$0.hasPrefix("far") }
        #expect(told.joined(separator: "|") == expected)
        #expect(lines.count - told.count == (line.contains("--size") ? 4 : 0))
    }

    @Test func printsTheDocumentOfTheHTTPEndpoint() throws {
        let (output, _, end) = try run(
            "--json --target 49.26,-123.11 --zoom 10 --size 800x600 fit-bounds 49.26,-123.11,51.05,-114.05 100,50,20,30"
        )
        #expect(end == .status(0))
        let document = try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
        let camera = try #require(document["camera"] as? [String: Double])
        // Sample T-FIT-4.
        #expect(abs((camera["zoom"] ?? 0) - 6.804195142) < 1e-6)
        #expect(abs((camera["lat"] ?? 0) - 50.484727061) < 1e-6 && abs((camera["lng"] ?? 0) + 118.705833333) < 1e-6)
        #expect(document["clamped"] as? [String] == [] && document["visibleRegion"] is [String: Any])
    }

    @Test func appliesTheLimitsOfAMap() throws {
        let configuration = """
            layers: { ground: { generator: oddColumns } }
            maps:
              demo: { layers: [ground], camera: { lat: 49.26, lng: -123.11, zoom: 5, minZoom: 4, maxZoom: 9 } }
            """
        let kept = try run("--map demo zoom-by 30", configuration: configuration)
        #expect(kept.output.contains("target      49.26,-123.11\nzoom        9\n"), "\(kept.output)\(kept.errors)")
        let unknown = try run("--map nothing zoom-in", configuration: configuration)
        #expect(unknown.end == .status(64) && unknown.errors.contains("nothing"))
        #expect(try run("zoom-in", configuration: configuration).end == .status(64))
        #expect(try run("--map demo", configuration: "layers: 5").end == .status(78))
    }

    /// The error message contains the wrong word or the missing option.
    @Test(arguments: [
        ("jump", "jump"), ("--tlit 3", "--tlit"), ("zoom-to", "zoom-to: ZOOM"), ("zoom-to x", "found x"),
        ("zoom-to nan", "found nan"), ("zoom-to 1e999", "found 1e999"), ("zoom-to 1,2", "zoom-to"),
        ("zoom-in 5", "unknown camera update 5"), ("scroll-by 1,2", "scroll-by: --size of the view is missing"),
        ("fit-bounds 1,2,3,4", "--size"), ("--size 800x600 fit-bounds 95,0,1,1", "fit-bounds: lat"),
        ("--size 800x600 fit-bounds 1,2,3", "fit-bounds"), ("--target 52.5", "--target"), ("--zoom x", "--zoom"),
        ("--size 0x5", "width"), ("--size 5", "--size"), ("--size 5000x5", "width"), ("--padding 1,1,1,1", "--size"),
        ("--size 800x600 --padding 400,0,300,0", "padding"), ("--min-zoom 9 --max-zoom 3", "minZoom"),
        ("--zoom", "--zoom"), ("--min-zoom 31", "minZoom"),
        ("--zoom 16 --tilt 65 --size 800x600 --padding 500,0,0,0 scroll-by 0,-500", "above the horizon"),
    ])
    func refusesWrongArguments(line: String, word: String) throws {
        let (output, errors, end) = try run(line)
        #expect(end == .status(64) && output.isEmpty)
        #expect(errors.contains(word), "\(errors)")
    }
}
