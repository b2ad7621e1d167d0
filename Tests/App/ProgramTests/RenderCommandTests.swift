import Foundation
import TestSupport
import Testing

/// Tests of the file that `tileserver render` writes.
@Suite(.blocking) struct RenderCommandTests {
    private let directory: ScratchDirectory
    private var scratch: String { directory.path }

    init() throws { directory = try ScratchDirectory() }

    private func render(_ output: String, config: String) throws -> (errors: String, end: Program.End?) {
        let words = ["render", "a", "--camera", "0,0,1", "--size", "16x16", "--config", config, "--output", output]
        let program = try Program(words, configuration: nil, in: scratch)
        let errors = program.lines(of: program.errors) { _ in false }.joined(separator: "\n")
        return (errors, program.ending())
    }

    private var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: scratch).sorted()) ?? [] }

    /// The name is refused before the command reads or fetches anything, so the missing configuration is not reported.
    @Test(arguments: ["x.jpg", "x.JPEG", "x.webp", "x.gif", "./x.png.avif", "/nowhere/x.tiff", "x.pdf"])
    func refusesTheEndingOfAnotherFormat(output: String) throws {
        let (errors, end) = try render(output, config: "none.yaml")
        #expect(end == .status(64))
        let ending = output.split(separator: ".").last ?? ""
        #expect(
            errors.hasPrefix(
                "Error: --output: expected a name that ends in .png, found \(output). render writes PNG only, "
                    + "no \(ending.lowercased())."), "\(errors)")
        #expect(names.isEmpty)
    }

    /// A script may write under a temporary name and rename the file later.
    @Test(arguments: ["x.png", "x.PNG", "x.apng", "x", "tmp.Xj3Aq9", "x.png.part", ".webp", "a.jpg/x"])
    func writesPNGUnderOtherNames(output: String) throws {
        try FileManager.default.createDirectory(atPath: "\(scratch)/a.jpg", withIntermediateDirectories: true)
        try Data("layers: { a: { generator: grid } }\n".utf8).write(to: URL(fileURLWithPath: "\(scratch)/t.yaml"))
        let (errors, end) = try render(output, config: "t.yaml")
        #expect(end == .status(0) && errors.isEmpty, "\(errors)")
        let written = try Data(contentsOf: URL(fileURLWithPath: "\(scratch)/\(output)"))
        #expect(written.starts(with: [0x89, 0x50, 0x4E, 0x47]))
    }

    /// Renders the map `m` or the layer `a`, and returns the errors.
    private func draw(_ words: [String], to output: String = "x.png") throws -> (errors: String, end: Program.End?) {
        let text =
            "layers: { a: { generator: world } }\n"
            + "maps: { m: { layers: [a], camera: { lat: 47, lng: 8, zoom: 4 } } }\n"
        try text.write(toFile: "\(scratch)/t.yaml", atomically: true, encoding: .utf8)
        let words = ["render"] + words + ["--size", "64x32", "--config", "t.yaml", "--output", output]
        let program = try Program(words, configuration: nil, in: scratch)
        let errors = program.lines(of: program.errors) { _ in false }.joined(separator: "\n")
        return (errors, program.ending())
    }

    private func bytes(_ name: String) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: "\(scratch)/\(name)"))
    }

    /// A map without a camera begins with the whole world.
    @Test func drawsTheMapsOwnCameraWithoutAnother() throws {
        let cases = [
            (["m"], ["m", "--camera", "8,47,4"]), (["a"], ["a", "--bounds", "-180,-85.0511287,180,85.0511287"]),
            (["m", "--camera", "lat=46,lng=7,zoom=5,tilt=20"], ["m", "--camera", "7,46,5@0,20"]),
            (
                ["m", "--marker", "lat=47,lng=8|label:=", "--path", "lat=46,lng=7|9,48"],
                ["m", "--marker", "8,47|label:=", "--path", "7,46|9,48"]
            ),
        ]
        for (words, same) in cases {
            #expect(try draw(words, to: "x.png") == ("", .status(0)))
            #expect(try draw(same, to: "y.png") == ("", .status(0)))
            #expect(try bytes("x.png") == bytes("y.png"), "\(words)")
        }
    }

    @Test func tellsWhatTheMapHasLimited() throws {
        let (errors, end) = try draw(["m", "--camera", "190,47,50"])
        #expect(end == .status(0))
        #expect(errors == "tileserver: the map limits the camera: lng -170 instead of 190, zoom 21 instead of 50")
    }

    @Test(arguments: [
        ("49.26,-123.11,5", "Expected a latitude in -90…90 after the longitude, found -123.11."),
        ("lat=1,lng=2", "expected lat=…,lng=…,zoom=…, found lat=1,lng=2"),
        ("lat=1,lng=x,zoom=2", "expected a number, found lng=x"),
        ("lat=1,lat=2,lng=3,zoom=2", "lat appears twice in lat=1,lat=2,lng=3,zoom=2"),
        ("lat=1,lng=3,level=2", "expected lng=…, lat=…, zoom=…, bearing=…, tilt=…, found level=2"),
    ])
    func refusesACameraThatIsNone(camera: String, reason: String) throws {
        let (errors, end) = try draw(["m", "--camera", camera])
        #expect(end == .status(64) && errors == "tileserver: --camera: \(reason)")
    }
}
