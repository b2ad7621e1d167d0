import Configuration
import JSON
import MapGeometry

@testable import MapService
@testable import TileServer
@testable import TileSources

extension FuzzTarget {
    /// Reads a URL template. The first byte selects subdomains, values and rows from the south; the rest is the
    /// template.
    static func readTemplate(_ bytes: UnsafeRawBufferPointer) {
        guard let first = bytes.first else { return }
        do throws(URLTemplateError) {
            let template = try URLTemplate(
                text(bytes.dropFirst()), values: first & 1 == 0 ? [:] : ["floor": "1"],
                subdomains: first & 2 == 0 ? [] : ["a", "b"], isTMS: first & 4 != 0)
            for (z, x, y) in [(0, 0, 0), (30, (1 << 30) - 1, 0)] {
                guard let tile = TileCoordinate(z: z, x: x, y: y) else { continue }
                let url = template.url(at: tile, scale: 2)
                check(!url.contains("{") || template.scheme == .file, "a placeholder is left in \(url)")
                check(!url.utf8.contains { $0 <= 0x20 || $0 == 0x7F } || template.scheme == .file, "a gap in \(url)")
            }
        } catch {
            checkLine("\(error)")
        }
    }

    /// Reads all values of a JSON text.
    static func readJSON(_ bytes: UnsafeRawBufferPointer) {
        do throws(JSONError) {
            let text = try JSONText(Array(bytes))
            walk(text, text.root)
        } catch {
            checkLine("\(error)")
        }
    }

    /// Visits a value and its children. The depth of a text is limited, so the recursion is limited too.
    private static func walk(_ text: JSONText, _ value: Int) {
        check(text.end(of: value) > value, "a value without bytes")
        switch text.kind(of: value) {
        case .object: for member in text.members(of: value).values { walk(text, member) }
        case .array:
            var next = text.firstElement(of: value)
            while let element = next {
                walk(text, element)
                next = text.element(after: text.end(of: element))
            }
        case .string: check(text.string(at: value).utf8.count <= 3 * text.end(of: value), "a string that grew")
        case .number: check(text.number(at: value).end == text.end(of: value), "a number with two ends")
        case .boolean, .null: break
        }
    }

    /// Reads a configuration, and checks the texts of its problems.
    static func readConfiguration(_ bytes: UnsafeRawBufferPointer) {
        do throws(ConfigurationErrors) {
            _ = try Configuration.parse(text: text(bytes), file: "f.yaml", environment: ["NAME": "value"])
        } catch {
            for problem in error.problems { checkLine(problem.description) }
        }
    }

    /// Reads the metadata of an MBTiles file: a name and a value on each line. The first byte is the lowest zoom with
    /// tiles.
    static func readMetadata(_ bytes: UnsafeRawBufferPointer) {
        guard let first = bytes.first else { return }
        var fields: [String: String] = [:]
        for line in bytes.dropFirst().split(separator: 0x0A) {
            let parts = line.split(separator: 0x3D, maxSplits: 1, omittingEmptySubsequences: false)
            fields[text(parts[0])] = parts.count > 1 ? text(parts[1]) : ""
        }
        let zooms = first < 31 ? Int(first)...30 : nil
        let found = MBTilesMetadata.description(fields, content: MBTilesMetadata.Content(zooms: zooms, firstTile: nil))
        check(found.zooms.map { 0 <= $0.lowerBound && $0.upperBound <= 30 } == true, "zooms that cannot be")
        if let bounds = found.bounds {
            check(abs(bounds.west) <= 180 && abs(bounds.east) <= 180, "\(bounds)")
            check(-90 <= bounds.south && bounds.south < bounds.north && bounds.north <= 90, "\(bounds)")
        }
        for fault in MBTilesFacts(fields).faults { checkLine(fault) }
    }

    /// Converts an attribution to plain text and to a header field.
    static func readAttribution(_ bytes: UnsafeRawBufferPointer) {
        guard let plain = AttributionText.plain([text(bytes)]) else { return }
        let field = AttributionField.encoded(plain)
        check(field.utf8.count <= AttributionField.longest, "\(field.utf8.count) bytes")
        check(field.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "a byte that no field may have")
    }

    /// Checks that a text for people is one line without control characters.
    static func checkLine(_ line: String) {
        check(!line.utf8.contains { $0 < 0x20 || $0 == 0x7F }, "a control character in \(line.debugDescription)")
    }
}
