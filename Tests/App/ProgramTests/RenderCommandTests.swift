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
}
