import Testing

@testable import Raster

/// The names of an image format, and its stored number.
@Suite struct ImageFormatTests {
    /// The numbers are stored on disk and in Redis. With other numbers the server would misread stored tiles.
    @Test func keepsItsStoredNumber() {
        #expect(ImageFormat.allCases.map { "\($0) \($0.rawValue)" } == ["png 0", "jpeg 1", "webp 2", "gif 3"])
    }

    @Test func hasAMediaTypeAndASuffix() {
        let found = ImageFormat.allCases.map { "\($0.mediaType) \($0.suffix)" }
        #expect(found == ["image/png png", "image/jpeg jpg", "image/webp webp", "image/gif gif"])
    }

    @Test(arguments: [
        ("png", ImageForm.png), ("jpg", .jpeg), ("jpeg", .jpeg), ("webp", .webp), ("gif", nil), ("", nil), ("PNG", nil),
        ("pn", nil), ("pngg", nil), ("\0png", nil), ("\u{1}png", nil), ("png\0", nil), ("auto", nil),
        ("0123456789abcdefpng", nil),
    ])
    func parsesSuffixes(suffix: String, form: ImageForm?) {
        #expect(ImageForm(suffix: suffix) == form)
    }

    @Test func parsesEveryListedSuffix() {
        #expect(ImageForm.suffixes.allSatisfy { ImageForm(suffix: $0) != nil })
    }
}
