import Foundation
import Raster

@testable import Text

extension FuzzTarget {
    /// Breaks a text into lines and draws them. The first byte selects the language.
    static func drawLetters(_ bytes: UnsafeRawBufferPointer) {
        guard let first = bytes.first else { return }
        draw(text(bytes.dropFirst()), Font(size: 12, language: first & 1 == 0 ? nil : "ja", .standard))
        check(FontList.standard.bytes <= FontList.Memory.standard.glyphs, "\(FontList.standard.bytes) bytes")
    }

    private static func draw(_ text: String, _ font: Font) {
        for line in font.lines(of: text, width: 200, most: 2) {
            let width = font.width(of: line)
            check(width.isFinite, "the width \(width)")
            for contour in font.path(for: line, at: Point(x: 0, y: 20)).contours {
                check(contour.allSatisfy { $0.x.isFinite && $0.y.isFinite }, "a point without a place")
            }
            var canvas = Canvas(width: 64, height: 32)
            canvas.draw(line, at: Point(x: 4, y: 20), font: font, color: RGBA(red: 0, green: 0, blue: 0))
        }
    }

    /// Opens a font file, and draws some of its characters.
    static func readFont(_ bytes: UnsafeRawBufferPointer) {
        let path = FileManager.default.temporaryDirectory.appending(path: "fuzz-\(UUID()).ttf").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        guard FileManager.default.createFile(atPath: path, contents: Data(bytes)) else { return }
        let memory = FontList.Memory(files: 1 << 20, glyphs: 1 << 20)
        do {
            let list = try FontList([path], memory) { _ in }
            let file = try FontFile(FontLocation(path), FontAllowance(bytes: 1 << 20))
            let font = Font(size: 12, list)
            let characters = file.coverage.ranges.prefix(8).flatMap { $0.prefix(4).compactMap(Unicode.Scalar.init) }
            draw(String(String.UnicodeScalarView(characters)), font)
            draw("fi AV 国 ع क \u{301}", font)
            check(list.bytes <= memory.files + memory.glyphs, "\(list.bytes) bytes")
        } catch {
            checkLine("\(error)")
        }
    }
}
