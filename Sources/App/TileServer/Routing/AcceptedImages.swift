import Configuration
import HTTPServer
import Raster

/// The image formats that a client accepts, according to its header `Accept` (RFC 9110 12.5.1). For a format that the
/// client names, that entry decides. For other formats, `image/*` decides, and then `*/*`. Without the header, all
/// formats are accepted. The only important quality is zero: `q=0` refuses a format. Allocates nothing.
struct AcceptedImages {
    /// Bits of the named formats, and bits of the accepted ones among them. The bit is the raw value of the form.
    private var (named, taken): (UInt8, UInt8) = (0, 0)
    private var anyImage: Bool?
    private var anything: Bool?
    private var saysNothing = true

    init(_ request: Request) {
        request.forEachField("accept") { field in
            saysNothing = false
            field.forEachListMember { note($0) }
        }
    }

    private mutating func note(_ member: UnsafeRawBufferPointer) {
        var end = member.firstIndex(of: UInt8(ascii: ";")) ?? member.count
        let isTaken = !Self.isRefused(UnsafeRawBufferPointer(rebasing: member[end...]))
        while end > 0, member[end - 1] == 0x20 || member[end - 1] == 0x09 { end -= 1 }
        let name = UnsafeRawBufferPointer(rebasing: member[..<end])
        if let found = ImageForm.mediaTypes.first(where: { name.equalsIgnoringCase($0.type) }) {
            named |= Self.bit(found.form)
            taken = isTaken ? taken | Self.bit(found.form) : taken & ~Self.bit(found.form)
        } else if name.equalsIgnoringCase("image/*") {
            anyImage = isTaken
        } else if name.equals("*/*") {
            anything = isTaken
        }
    }

    /// Reports whether the first `q` of `parameters`, each after a semicolon, is zero. A value of only zeros and dots
    /// counts as zero, such as `0` or `0.000`.
    private static func isRefused(_ parameters: UnsafeRawBufferPointer) -> Bool {
        for index in parameters.indices
        where parameters[index] == UInt8(ascii: "=") && index > 0 && parameters[index - 1] | 0x20 == UInt8(ascii: "q") {
            let before = index > 1 ? parameters[index - 2] : UInt8(ascii: ";")
            guard before == UInt8(ascii: ";") || before == 0x20 || before == 0x09 else { continue }
            let weight = parameters[(index + 1)...].prefix { $0 != UInt8(ascii: ";") && $0 != 0x20 && $0 != 0x09 }
            return !weight.isEmpty && weight.allSatisfy { $0 == UInt8(ascii: "0") || $0 == UInt8(ascii: ".") }
        }
        return false
    }

    private static func bit(_ form: ImageForm) -> UInt8 { 1 << form.rawValue }

    func takes(_ form: ImageForm) -> Bool {
        named & Self.bit(form) != 0 ? names(form) : anyImage ?? anything ?? saysNothing
    }

    /// Reports whether the client names and accepts `form`. Many clients send `*/*` but cannot read every format.
    func names(_ form: ImageForm) -> Bool { taken & Self.bit(form) != 0 }
}

extension LayerSettings.Format {
    /// Returns the format for a request without a suffix. If the client does not accept the layer's fixed format, the
    /// result is PNG, which every client can read. Without a fixed format, WebP is possible only if the client names
    /// it, and JPEG only if the client accepts it.
    func form(accepted: AcceptedImages) -> ImageForm {
        if let form { return accepted.takes(form) ? form : .png }
        let namesWebP = accepted.names(.webp)
        return accepted.takes(.jpeg) ? namesWebP ? .autoWebP : .auto : namesWebP ? .webp : .png
    }
}
