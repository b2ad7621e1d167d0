import Bytes

/// Encodes pixels as PNG, JPEG or WebP.
///
/// Thread rule: any thread that may compute for long.
package struct ImageEncoder: Sendable, Hashable {
    /// The options for PNG.
    package var png: PNGOptions
    /// The quality of JPEG and lossy WebP, 1…100. If it is nil, the quality is 80, and the form `webp` is lossless.
    package var quality: Int?
    /// The colour behind transparent pixels in a JPEG, which has no transparency. If the matte itself is translucent,
    /// it lies on white.
    package var matte: RGBA
    /// The intended maximum memory in bytes for `encode`, including the pixels. If lossless WebP would need more, it is
    /// written with less work and memory, and is a few percent larger. The limit has no effect on other formats.
    package var mostMemory = Int.max

    /// The quality if none is set. A photograph then has about a tenth of the bytes of its PNG, with a loss that is
    /// visible only on close inspection.
    package static let usualQuality = 80

    /// Creates an encoder. By default the form `webp` is lossless, and the matte is white.
    package init(png: PNGOptions = .standard, quality: Int? = nil, matte: RGBA = .white) {
        self.png = png
        self.quality = quality
        self.matte = matte
    }

    /// Encodes `pixmap` as `form`. `original` is the same picture as PNG, if the caller has it. Forms that choose the
    /// format themselves may return `original`: for a drawing if no lossless WebP is smaller, for a photograph if the
    /// lossy image saves less than half. The encoder calls `isWanted` at the start and, except for JPEG, repeatedly
    /// during the work. It throws if `isWanted` returns false, if memory runs out, or if a WebP has a side of 16,384
    /// pixels, one more than the format allows.
    package func encode(
        _ pixmap: Pixmap, as form: ImageForm, original: EncodedImage? = nil, isWanted: @escaping () -> Bool = { true }
    ) throws(ImageEncodingError) -> EncodedImage {
        guard isWanted() else { throw .unwanted }
        if let format = form.format { return try encode(pixmap, as: format, isWanted) }
        return try encodeSuitably(pixmap, takesWebP: form == .autoWebP, original, isWanted)
    }

    /// Returns the maximum memory in bytes per pixel that `encode` needs in addition to the pixels, for an image of
    /// `pixels` pixels. The numbers are measured with noise and maps. Memory that does not depend on the number of
    /// pixels is not included. `isOpaque` is true if the image is known to be opaque.
    package func memory(ofPixels pixels: Int, as form: ImageForm, isOpaque: Bool) -> Int {
        func most(_ format: ImageFormat, _ quality: Int?) -> Int {
            format.codec.encodingMemory(with(quality: quality), pixels, isOpaque)
        }
        if let format = form.format { return most(format, quality) }
        let jpeg = most(.jpeg, quality)
        guard form == .autoWebP else { return max(most(.png, quality), jpeg) }
        return max(most(.webp, nil), most(.webp, quality ?? Self.usualQuality) + jpeg)
    }

    /// Returns this encoder with another `quality`.
    private func with(quality: Int?) -> ImageEncoder {
        var encoder = self
        encoder.quality = quality
        return encoder
    }

    private func encode(
        _ pixmap: Pixmap, as format: ImageFormat, _ isWanted: @escaping () -> Bool
    ) throws(ImageEncodingError) -> EncodedImage {
        EncodedImage(bytes: try format.codec.encode(pixmap, self, isWanted), format: format)
    }

    private func encodeSuitably(
        _ pixmap: Pixmap, takesWebP: Bool, _ original: EncodedImage?, _ isWanted: @escaping () -> Bool
    ) throws(ImageEncodingError) -> EncodedImage {
        guard pixmap.isPhotograph else {
            if !takesWebP {
                if let original { return original }
                return try encode(pixmap, as: .png, isWanted)
            }
            let webp = try with(quality: nil).encode(pixmap, as: .webp, isWanted)
            return original.map { $0.bytes.count <= webp.bytes.count ? $0 : webp } ?? webp
        }
        var image = try encode(pixmap, as: .jpeg, isWanted)
        if takesWebP {
            // At equal quality, some pictures are smaller as JPEG and others as WebP: smooth gradients differ from
            // noise.
            let webp = try with(quality: quality ?? Self.usualQuality).encode(pixmap, as: .webp, isWanted)
            if webp.bytes.count < image.bytes.count { image = webp }
        }
        // A lossy image must save at least half of the bytes.
        if let original, original.bytes.count < 2 * image.bytes.count { return original }
        return image
    }
}

extension Pixmap {
    /// True if a lossy format suits the picture: it is opaque, its PNG has 8 bits a sample and no palette, and it is
    /// shaded. A drawing has areas and lines of one colour, around which a lossy format leaves visible artefacts.
    fileprivate var isPhotograph: Bool {
        guard isOpaque else { return false }
        let samples = PNGSamples(reducing: self)
        return samples.isFilterable && PNGRowSample(samples, size: 8 << 10).isShaded
    }
}

/// An encoded image.
package struct EncodedImage: Sendable, Equatable {
    /// The encoded bytes.
    package let bytes: SharedBytes
    /// The format of the bytes.
    package let format: ImageFormat

    /// Creates an image. `bytes` must be an image of `format`; the bytes are not checked here.
    package init(bytes: SharedBytes, format: ImageFormat) {
        self.bytes = bytes
        self.format = format
    }
}
