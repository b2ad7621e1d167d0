import Bytes
import Foundation
import Raster

/// What scripts/pngsuite and scripts/bench ask of the codecs; a line of output for each file.
///
///     codecs decode FILE…                      `ok WIDTH HEIGHT`, and the pixels in FILE.rgba, or `refused REASON`
///     codecs encode EFFORT COLORS FORM FILE…   bytes and microseconds of CPU, and the PNG in FILE.ours
///
/// COLORS is the most that may stay, or 0 for all.
func decode(_ path: String) throws -> Pixmap {
    try ImageDecoder.decode(SharedBytes(Data(contentsOf: URL(fileURLWithPath: path))))
}

func write(_ bytes: [UInt8], to path: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path))
}

func decodeAll(_ paths: ArraySlice<String>) throws {
    for path in paths {
        do {
            let pixmap = try decode(path)
            try write(pixmap.bytes, to: path + ".rgba")
            print("ok \(pixmap.width) \(pixmap.height)")
        } catch let error as ImageError {
            print("refused \(error)")
        }
    }
}

func encodeAll(_ paths: ArraySlice<String>, _ options: PNGOptions) throws {
    for path in paths {
        let pixmap = try decode(path)
        // The first time pays for memory that the program has not used yet.
        _ = try PNGEncoder.encode(pixmap, options: options)
        let start = cpuTime()
        let encoded = try PNGEncoder.encode(pixmap, options: options)
        let spent = cpuTime() - start
        try write(encoded.array, to: path + ".ours")
        print(encoded.count, spent)
    }
}

/// CPU of this process in microseconds.
func cpuTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
}

let words = Array(CommandLine.arguments.dropFirst())
do {
    if words.first == "decode" {
        try decodeAll(words.dropFirst())
    } else if words.first == "encode", words.count > 3, let effort = PNGOptions.Effort(rawValue: words[1]),
        let colors = Int(words[2]), let form = PNGOptions.Form(rawValue: words[3])
    {
        let options = PNGOptions(effort: effort, quantize: colors == 0 ? nil : colors, form: form)
        try encodeAll(words.dropFirst(4), options)
    } else {
        print("usage: codecs decode FILE… | codecs encode fast|balanced COLORS lean|rgba FILE…")
        exit(64)
    }
} catch {
    FileHandle.standardError.write(Data("codecs: \(error)\n".utf8))
    exit(1)
}
