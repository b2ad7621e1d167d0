import ArgumentParser
import Configuration
import Files
import Foundation
import Raster
import TileServer

/// The command `tileserver init`. It writes a first configuration file for an existing source of tiles.
struct Init: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write a first configuration for existing tiles.",
        discussion: """
            SOURCE is a tile URL such as https://tile.example.org/{z}/{x}/{y}.png, the URL of a TileJSON, \
            an MBTiles, PMTiles or GeoJSON file, s3://bucket/key, or a \
            directory of tiles {z}/{x}/{y}\(ImageForm.usualSuffixes). Without SOURCE the command asks on a terminal. \
            An existing file is not \
            overwritten. A variable in a URL, such as ${KEY}, stays a variable of the file.
            """)

    @Argument(help: "Source of the tiles.")
    var source: String?

    @Option(name: .shortAndLong, help: "File to write; - is standard output.")
    var output = ConfigurationOptions.defaultFile

    @Option(help: "Name of the layer in the URL (default: the name of the source).")
    var layer: String?

    func run() async throws {
        let file = NewFile(path: output)
        // Fails before it asks a person or a server if the file exists already.
        try file.refuseExisting()
        var found: FoundSource
        if let source {
            found = try await FoundSource(source)
        } else {
            guard isatty(STDIN_FILENO) == 1 else {
                throw CommandError.usage(
                    "expected a source: tileserver init SOURCE (--help lists the kinds)")
            }
            found = try await Questions.ask(layer: layer, for: file)
        }
        if let layer { found.id = layer }
        let text = try found.configuration(for: file)
        try file.write(text)
        let summary = "\(output): the layer \(found.id), \(found.summary)"
        let next =
            output == ConfigurationOptions.defaultFile ? "tileserver serve" : "tileserver serve --config \(output)"
        if output == "-" {
            complain("the layer \(found.id), \(found.summary)")
        } else {
            print("\(summary). To serve it: \(next)")
        }
        for advice in found.advice { complain(advice) }
    }
}

extension FoundSource {
    /// Returns the text of a configuration for `file`. Throws if the configuration has problems.
    func configuration(for file: NewFile) throws(CommandError) -> String {
        let text = StartingConfiguration(source: self, file: file.path, directory: file.directory).text
        do {
            _ = try Configuration.parse(
                text: text, file: file.path == "-" ? "" : file.path, environment: variables, opensSources: true)
            return text
        } catch {
            // The message names no file, because the file does not exist yet.
            let problem = error.problems.first
            throw .data(problem.map { "\($0.path): \($0.message)" } ?? "\(error)")
        }
    }
}

/// The output of `tileserver init`: a new file, a device, a pipe or standard output. An existing regular file is never
/// replaced.
struct NewFile {
    let path: String

    private var isStandardOutput: Bool { path == "-" }

    private var output: OutputFile { .named(isStandardOutput ? "/dev/stdout" : path) }

    /// The file's directory, as an absolute path. Nil for standard output, a device or a pipe.
    var directory: String? { output.isWrittenInPlace ? nil : absolutePath(folder) }

    private var folder: String { path.lastIndex(of: "/").map { String(path[...$0]) } ?? "." }

    func refuseExisting() throws(CommandError) {
        var status = stat()
        if !output.isWrittenInPlace, lstat(path, &status) == 0 { throw existing }
    }

    private var existing: CommandError {
        CommandError(
            "\(path) exists and is not overwritten: name another file with --output, or - for standard output",
            status: EX_CANTCREAT)
    }

    private func failure(_ reason: some CustomStringConvertible) -> CommandError {
        CommandError("cannot write \(path): \(reason)", status: EX_CANTCREAT)
    }

    func write(_ text: String) throws(CommandError) {
        // Creates the directory, such as `config`. Its parent must exist.
        if let directory, mkdir(directory, 0o777) != 0, errno != EEXIST {
            throw failure(String(cString: strerror(errno)))
        }
        do throws(FileError) {
            try output.write(Array(text.utf8), isNew: true)
        } catch {
            throw error.code == EEXIST ? existing : failure(error)
        }
    }
}
