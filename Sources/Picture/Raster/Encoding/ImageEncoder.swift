import Bytes
import CWebP

/// Writes pixels as PNG, JPEG or WebP.
///
/// Thread rule: a value; any thread; blocks while it computes.
public struct ImageEncoder: Sendable, Hashable {
    /// How PNG is written.
    public var png: PNGOptions
    /// Of JPEG and lossy WebP, 1…100. Nil: 80, and WebP is lossless where it is asked for by its name.
    public var quality: Int?
    /// What is seen through pixels in a JPEG, which has no transparency; what of it is translucent itself lies on white.
    public var matte: RGBA
    /// Bytes that `encode` may take, pixels included. Lossless WebP that would take more is written with less work: a few
    /// hundredths larger, in half the memory. The bound has no effect on other formats.
    package var mostMemory = Int.max

    /// Where no quality is set. Of photographs it takes a tenth of their PNG's bytes, and the loss is seen by who looks for it.
    public static let usualQuality = 80

    /// Lossless, on white, unless told otherwise.
    public init(png: PNGOptions = .standard, quality: Int? = nil, matte: RGBA = .white) {
        self.png = png
        self.quality = quality
        self.matte = matte
    }

    /// `pixmap` as `form`. `original`: the same picture as PNG where there is one, which is the answer where it suits as well and
    /// nothing takes fewer bytes. `isWanted` is asked now and then, and a no ends the work with an error; else it fails only
    /// when memory runs out.
    public func encode(
        _ pixmap: Pixmap, as form: ImageForm, original: EncodedImage? = nil, isWanted: @escaping () -> Bool = { true }
    ) throws(ImageEncodingError) -> EncodedImage {
        guard isWanted() else { throw .unwanted }
        switch form {
        case .png: return try encodePNG(pixmap, isWanted)
        case .jpeg: return try encodeJPEG(pixmap)
        case .webp: return try encodeWebP(pixmap, quality: quality, isWanted)
        case .auto, .autoWebP:
            return try encodeSuitably(pixmap, takesWebP: form == .autoWebP, original, isWanted)
        }
    }

    /// Bytes a pixel that `encode` takes at most beside the pixels, as measured with noise and maps, for an image of `pixels`. What does not
    /// depend on their number does not count. `isOpaque`: it is known to be.
    public func memory(ofPixels pixels: Int, as form: ImageForm, isOpaque: Bool) -> Int {
        // Samples, and what these are compressed to.
        let png = 5
        // Coefficients, of colours at every pixel from quality 90 on, and what these are compressed to; before that what lies under
        // translucent pixels, and both together.
        let jpeg = ((quality ?? Self.usualQuality) >= 90 ? 12 : 5) + (isOpaque ? 0 : 4)
        // A codec's tables weigh more in a small image.
        let isSmall = pixels < 512 * 512
        // Alpha is lossless.
        let lossy = isOpaque ? 8 : isSmall ? 41 : 35
        let lossless = !isLean(pixels) ? Self.lossless : isSmall ? 37 : Self.lean
        return switch form {
        case .png: png
        case .jpeg: jpeg
        case .webp: quality == nil ? lossless : lossy
        case .auto: max(png, jpeg)
        case .autoWebP: max(lossless, lossy + jpeg)
        }
    }

    /// Bytes a pixel of lossless WebP: at most, and with the least work.
    private static let (lossless, lean) = (46, 25)
    /// Images of more pixels are always written with the least work, for their memory.
    private static let largePixels = 1 << 20

    private func isLean(_ pixels: Int) -> Bool {
        pixels > Self.largePixels || pixels * (4 + Self.lossless) > mostMemory
    }

    private func encodeSuitably(
        _ pixmap: Pixmap, takesWebP: Bool, _ original: EncodedImage?, _ isWanted: @escaping () -> Bool
    ) throws(ImageEncodingError) -> EncodedImage {
        guard pixmap.isPhotograph else {
            if !takesWebP {
                if let original { return original }
                return try encodePNG(pixmap, isWanted)
            }
            let webp = try encodeWebP(pixmap, quality: nil, isWanted)
            return original.map { $0.bytes.count <= webp.bytes.count ? $0 : webp } ?? webp
        }
        var image = try encodeJPEG(pixmap)
        if takesWebP {
            // Which of both is smaller at the same quality differs by picture: even slopes and noise.
            let webp = try encodeWebP(pixmap, quality: quality ?? Self.usualQuality, isWanted)
            if webp.bytes.count < image.bytes.count { image = webp }
        }
        // What saves less than a half is not worth a loss.
        if let original, original.bytes.count < 2 * image.bytes.count { return original }
        return image
    }

    private func encodePNG(
        _ pixmap: Pixmap, _ isWanted: @escaping () -> Bool
    ) throws(ImageEncodingError) -> EncodedImage {
        do throws(PNGError) {
            return EncodedImage(
                bytes: try PNGEncoder.encode(pixmap, options: png, isWanted: isWanted), format: .png)
        } catch {
            throw ImageEncodingError(error)
        }
    }

    private func encodeJPEG(_ pixmap: Pixmap) throws(ImageEncodingError) -> EncodedImage {
        let bytes = try JPEGEncoder.encode(pixmap.flattened(on: matte), quality: quality ?? Self.usualQuality)
        return EncodedImage(bytes: bytes, format: .jpeg)
    }

    private func encodeWebP(
        _ pixmap: Pixmap, quality: Int?, _ isWanted: @escaping () -> Bool
    ) throws(ImageEncodingError) -> EncodedImage {
        EncodedImage(
            bytes: try WebPEncoder.encode(
                pixmap, quality: quality, isLean: isLean(pixmap.width * pixmap.height), isWanted: isWanted),
            format: .webp)
    }
}

extension Pixmap {
    /// Laid on `matte`, and that on white; itself, without cost, where it is opaque.
    fileprivate func flattened(on matte: RGBA) -> Pixmap {
        guard !isOpaque else { return self }
        var ground = Compositor(width: 1, height: 1)
        ground.add(Pixmap(width: 1, height: 1, color: .white))
        ground.add(Pixmap(width: 1, height: 1, color: matte))
        let color = ground.composed().bytes
        var compositor = Compositor(width: width, height: height)
        compositor.add(
            Pixmap(width: width, height: height, color: RGBA(red: color[0], green: color[1], blue: color[2])))
        compositor.add(self)
        return compositor.composed()
    }

    /// Whether it is opaque, of more colours than a palette has, and shaded: what a lossy format is for. A drawing has areas and
    /// lines of one colour, around which such a format leaves marks.
    fileprivate var isPhotograph: Bool {
        guard isOpaque else { return false }
        let samples = PNGSamples(reducing: self)
        return samples.isFilterable && PNGRowSample(samples, size: 8 << 10).isShaded
    }
}
