import ArgumentParser
import Files
import Foundation
import MapService
import TileServer

/// The command `tileserver clear`. It clears a layer, all layers, or the tiles of an expire list, in the running server
/// with the same configuration.
struct Clear: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Clear a layer's tiles in the running server, or all layers' with --all.")

    @Argument(help: "Name of the layer.")
    var layer: String?

    @Flag(help: "Clear every layer.")
    var all = false

    @Option(
        help:
            "Expire the tiles in this list of z/x/y lines (osm2pgsql, imposm): a file, a pipe, or - for standard input."
    )
    var expire: String?

    @Option(help: "With --expire: also expire the tiles above and below at these zooms, such as 8-16.")
    var zooms: String?

    @Flag(help: "With --expire: remove the tiles. Otherwise stale tiles are served until new tiles are fetched.")
    var remove = false

    @Flag(help: "Make the tiles stale: clients get the old tile until a new one is fetched.")
    var soft = false

    @Flag(help: "Print the server's JSON response.")
    var json = false

    @OptionGroup var options: ConfigurationOptions

    func validate() throws {
        guard all != (layer != nil) else { throw ValidationError("Expected the name of one layer, or --all.") }
        guard layer?.wholeMatch(of: /[a-z0-9][a-z0-9_-]{0,63}/) != nil || all else {
            throw ValidationError("Expected a layer name of lower-case letters, digits, _ and -.")
        }
        guard expire == nil || !all else { throw ValidationError("--expire needs the name of one layer, not --all.") }
        guard expire == nil || !soft else {
            throw ValidationError("--expire makes tiles stale without --soft.")
        }
        guard expire != nil || zooms == nil && !remove else {
            throw ValidationError("--zooms and --remove need --expire.")
        }
        guard zooms?.wholeMatch(of: /[0-9]{1,2}(-[0-9]{1,2})?/) != nil || zooms == nil else {
            throw ValidationError("Expected --zooms as a zoom, or as two zooms with a hyphen between.")
        }
    }

    /// Returns the method, path and content of the request.
    private func request() throws -> (method: String, path: String, content: [UInt8]) {
        guard let expire, let layer else {
            return ("DELETE", (layer.map { "/admin/cache/\($0)" } ?? "/admin/cache") + (soft ? "?soft=1" : ""), [])
        }
        let list = try list(expire)
        let query = [zooms.map { "zooms=\($0)" }, remove ? "soft=0" : nil].compactMap(\.self)
        return (
            "POST", "/admin/expire/\(layer)" + (query.isEmpty ? "" : "?" + query.joined(separator: "&")), list
        )
    }

    private func list(_ path: String) throws(CommandError) -> [UInt8] {
        do throws(FileError) {
            return try InputFile(path == "-" ? "/dev/stdin" : path).bytes(limit: ExpireList.mostBytes)
        } catch {
            let place = path == "-" ? "standard input" : path
            let text =
                if case .tooLarge = error {
                    "\(place): expected a list of at most \(ExpireList.mostBytes) bytes; send the list in parts "
                        + "(split -l 100000)"
                } else {
                    "\(place) cannot be read: \(error)"
                }
            throw CommandError(text, status: EX_NOINPUT)
        }
    }

    func run() async throws {
        let configuration = options.load(for: .asking)
        let (method, path, content) = try request()
        let answer = try LocalServer(configuration).administer(method, path, configuration, content: content)
        let sentence = ClearSentence(answer)
        let text = sentence.map { $0.text(isSoft: soft || expire != nil && !remove) + "\n" }
        print(json ? answer : text ?? answer, terminator: "")
        if sentence?.isDurable == false {
            throw CommandError(
                "the tiles are cleared, but the disk has not stored the clear; do not restart the server until it has")
        }
    }
}
