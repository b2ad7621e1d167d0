import Bytes
import Foundation
import Raster

/// Runs the codecs for scripts/pngsuite and scripts/bench. Prints a line for each file.
///
///     codecs decode FILE…                      `ok WIDTH HEIGHT`, and the pixels in FILE.rgba, or `refused REASON`
///     codecs encode EFFORT COLORS FORM FILE…   bytes and microseconds of CPU, and the PNG in FILE.ours
///     codecs write FORM QUALITY FILE…          the same for another form, such as `webp` or `auto`, and its format
///
/// COLORS is the maximum number of colours, or 0 for all. QUALITY is 1…100, or 0 for none.
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

func encodeAll(_ paths: ArraySlice<String>, _ encoder: ImageEncoder, _ form: ImageForm, namesFormat: Bool) throws {
    for path in paths {
        let pixmap = try decode(path)
        // The first encoding also pays for new memory, so it is not measured.
        _ = try encoder.encode(pixmap, as: form)
        let start = cpuTime()
        let image = try encoder.encode(pixmap, as: form)
        let spent = cpuTime() - start
        try write(image.bytes.array, to: path + ".ours")
        print("\(image.bytes.count) \(spent)\(namesFormat ? " \(image.format)" : "")")
    }
}

/// Returns the CPU time of this process in microseconds.
func cpuTime() -> Double { Double(clock()) }

let words = Array(CommandLine.arguments.dropFirst())
do {
    if words.first == "decode" {
        try decodeAll(words.dropFirst())
    } else if words.first == "encode", words.count > 3, let effort = PNGOptions.Effort(rawValue: words[1]),
        let colors = Int(words[2]), let form = PNGOptions.Form(rawValue: words[3])
    {
        let options = PNGOptions(effort: effort, quantize: colors == 0 ? nil : colors, form: form)
        try encodeAll(words.dropFirst(4), ImageEncoder(png: options), .png, namesFormat: false)
    } else if words.first == "write", words.count > 2,
        let form = ImageForm.allCases.first(where: { "\($0)" == words[1] }), let quality = Int(words[2])
    {
        try encodeAll(
            words.dropFirst(3), ImageEncoder(quality: quality == 0 ? nil : quality), form, namesFormat: true)
    } else {
        print(
            "usage: codecs decode FILE… | codecs encode fast|balanced COLORS lean|rgba FILE… | "
                + "codecs write FORM QUALITY FILE…"
        )
        exit(64)
    }
} catch {
    FileHandle.standardError.write(Data("codecs: \(error)\n".utf8))
    exit(1)
}
