import ArgumentParser
import Configuration
import Foundation

/// The command `tileserver schema`. It prints the JSON Schema of the configuration file, or a document with tables of
/// the file's keys.
struct Schema: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the JSON Schema of the configuration file, for editors and validators.")

    @Option(
        help: ArgumentHelp(
            "Print this Markdown document with current tables of keys.", valueName: "document"))
    var markdown: String?

    func run() throws {
        guard let markdown else { return print(Configuration.jsonSchema, terminator: "") }
        let document = try String(contentsOfFile: markdown, encoding: .utf8)
        print(Configuration.fillingTables(of: document), terminator: "")
    }
}
