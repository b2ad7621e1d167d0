import Bytes
import Testing

@testable import Raster

/// Animated PNG with the chunks of PNG Third Edition 11.3.6. The test puts the frames together itself.
@Suite struct APNGEncoderTests {
    private static let square = RGBA(red: 200, green: 10, blue: 30)

    /// Makes a frame with a square of 3 × 2 pixels, which moves to the right over a plain background.
    private func frame(_ number: Int, alpha: UInt8 = 255) -> Pixmap {
        var pixmap = Pixmap(width: 20, height: 10, color: RGBA(red: 9, green: 99, blue: 199, alpha: alpha))
        pixmap.copy(Pixmap(width: 3, height: 2, color: Self.square), atX: 2 + number * 4, y: 5)
        return pixmap
    }

    private func animation(_ frames: [Pixmap], opaque: Bool, plays: Int = 0) throws -> [UInt8] {
        var encoder = APNGEncoder(
            width: 20, height: 10, delay: .init(seconds: 1.0 / 30), plays: plays, isOpaque: opaque)
        for frame in frames { try encoder.add(frame) }
        return try #require(encoder.finish()).array
    }

    @Test(arguments: [true, false]) func keepsEveryPixelOfEveryFrame(opaque: Bool) throws {
        let frames = (0..<4).map { frame($0, alpha: opaque ? 255 : 77) } + [frame(0, alpha: opaque ? 255 : 3)]
        let read = try AnimatedPNG(try animation(frames, opaque: opaque))
        #expect(read.frames.map(\.canvas) == frames)
        // A decoder without support for animations shows the first frame. Decoding also checks every checksum.
        #expect(try ImageDecoder.decode(SharedBytes(read.bytes)) == frames[0])
    }

    @Test func writesTheAnimationControl() throws {
        let read = try AnimatedPNG(try animation((0..<3).map { frame($0) }, opaque: true, plays: 1))
        #expect(read.types == ["IHDR", "acTL", "fcTL", "IDAT", "fcTL", "fdAT", "fcTL", "fdAT", "IEND"])
        #expect(read.count == 3 && read.plays == 1)
        #expect(read.sequence == [0, 1, 2, 3, 4])
        // Each frame lasts 1/30 s and is neither disposed of nor blended.
        #expect(read.frames.allSatisfy { $0.times == [0, 1, 0, 30, 0, 0] })
    }

    @Test func writesOnlyTheChangedArea() throws {
        let read = try AnimatedPNG(try animation([frame(0), frame(1), frame(1)], opaque: true))
        // The box contains the old square and the new square. If nothing changed, the box is one pixel.
        #expect(read.frames.map(\.box) == [[0, 0, 20, 10], [2, 5, 7, 2], [0, 0, 1, 1]])
    }

    @Test(
        arguments: [
            (1.0 / 30, 1, 30), (1, 1, 1), (0, 0, 10_000), (-1, 0, 10_000), (0.3, 3_000, 10_000), (60, 60_000, 1_000),
            (1e9, 65_000, 1_000), (.nan, 0, 10_000),
        ] as [(Double, UInt16, UInt16)])
    func encodesFrameDelays(seconds: Double, numerator: UInt16, denominator: UInt16) {
        let delay = APNGEncoder.Delay(seconds: seconds)
        #expect(delay.numerator == numerator && delay.denominator == denominator)
    }

    @Test func refusesAFrameOfAnotherSize() throws {
        var encoder = APNGEncoder(width: 20, height: 10, delay: .init(seconds: 1), isOpaque: true)
        #expect(encoder.finish() == nil)
        #expect(throws: PNGError.self) { try encoder.add(Pixmap(width: 10, height: 20)) }
    }
}

/// Reads an animated PNG as a viewer does.
private struct AnimatedPNG {
    struct Frame {
        /// x, y, width, height.
        var box: [Int]
        /// The bytes of fcTL with delay, disposal and blending.
        var times: [UInt8]
        var data: [UInt8] = []
        var canvas = Pixmap(width: 1, height: 1)
    }

    let bytes: [UInt8]
    private(set) var types: [String] = []
    private(set) var sequence: [Int] = []
    private(set) var count = 0
    private(set) var plays = 0
    private(set) var frames: [Frame] = []
    private var header: [UInt8] = []

    init(_ bytes: [UInt8]) throws {
        self.bytes = bytes
        var place = 8
        while place < bytes.count {
            let data = Array(bytes[(place + 8)..<(place + 8 + number(bytes, place))])
            types.append(String(decoding: bytes[(place + 4)..<(place + 8)], as: UTF8.self))
            read(types[types.count - 1], data)
            place += data.count + 12
        }
        var canvas = Pixmap(width: number(header, 0), height: number(header, 4))
        for index in frames.indices {
            let box = frames[index].box
            let plain =
                PNGHeaderParser.signature
                + ImageSamples.header(width: box[2], height: box[3], depth: 8, type: header[9])
                + ImageSamples.chunk("IDAT", frames[index].data) + ImageSamples.chunk("IEND", [])
            canvas.copy(try ImageDecoder.decode(SharedBytes(plain)), atX: box[0], y: box[1])
            frames[index].canvas = canvas
        }
    }

    private mutating func read(_ type: String, _ data: [UInt8]) {
        switch type {
        case "IHDR": header = data
        case "acTL": (count, plays) = (number(data, 0), number(data, 4))
        case "fcTL":
            sequence.append(number(data, 0))
            let box = [12, 16, 4, 8].map { number(data, $0) }
            frames.append(Frame(box: box, times: Array(data[20...])))
        case "IDAT": frames[frames.count - 1].data += data
        case "fdAT":
            sequence.append(number(data, 0))
            frames[frames.count - 1].data += data[4...]
        default: break
        }
    }

    private func number(_ bytes: [UInt8], _ place: Int) -> Int {
        bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
    }
}
