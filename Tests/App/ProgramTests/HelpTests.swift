import TestSupport
import Testing

/// Tests of the help texts of the commands, as a process.
@Suite(.blocking) struct HelpTests {
    @Test(arguments: [
        (["--help"], "OVERVIEW: A raster tile server"), (["help"], "OVERVIEW: A raster tile server"),
        (["help", "render"], "OVERVIEW: Draw a map"), (["render", "--help"], "OVERVIEW: Draw a map"),
        (["clear", "-h"], "OVERVIEW: Clear a layer's tiles"),
    ])
    func printsHelp(words: [String], beginning: String) throws {
        let program = try Program(words, configuration: nil)
        let output = program.lines(of: program.output) { _ in false }
        #expect(output.first?.hasPrefix(beginning) == true)
        #expect(program.lines(of: program.errors) { _ in false } == [])
        #expect(program.ending() == .status(0))
    }

    @Test func printsTheUsageAfterAWrongCommandLine() throws {
        let program = try Program(["render"], configuration: nil)
        #expect(program.lines(of: program.errors) { _ in false }.contains { $0.hasPrefix("Usage: tileserver render") })
        #expect(program.ending() == .status(64))
    }
}
