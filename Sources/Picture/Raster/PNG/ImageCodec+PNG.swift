extension ImageCodec {
    static let png = ImageCodec(
        name: "PNG", mediaType: "image/png", suffixes: ["png"], traits: .isDecoded,
        recognizes: { $0.starts(with: PNGHeaderParser.signature) },
        header: { reader throws(ImageHeaderError) in try PNGHeaderParser(reader).parse() },
        decode: { bytes, header throws(ImageError) in
            do throws(PNGError) {
                return try PNGDecoder.decode(bytes, header)
            } catch {
                throw .broken(.png, found: error.reason)
            }
        },
        decodingMemory: 0,
        encode: { pixmap, encoder, isWanted throws(ImageEncodingError) in
            do throws(PNGError) {
                return try PNGEncoder.encode(pixmap, options: encoder.png, isWanted: isWanted)
            } catch {
                throw ImageEncodingError(error)
            }
        },
        // The memory for the samples and for the compressed bytes.
        encodingMemory: { _, _, _ in 5 })
}
