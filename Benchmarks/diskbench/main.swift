import Foundation

// Measures the disk tier for scripts/bench: `diskbench write|fill|read|first|clear|quota <path> <tiles>
// <bytes of a tile> [<maximum bytes of the store> [<layer> <fingerprint> <generation>]]`. Prints a line with a name and
// a number for each result. `fill` writes the tiles that the store lacks, in large batches.

let arguments = CommandLine.arguments
guard [5, 6, 9].contains(arguments.count), let count = Int(arguments[3]), let size = Int(arguments[4]), count > 0,
    size >= 8, let maxBytes = arguments.count > 5 ? Int(arguments[5]) : 64 << 30, maxBytes > 0
else {
    FileHandle.standardError.write(
        Data(
            "usage: diskbench write|fill|read|first|clear|quota PATH TILES BYTES [MOST [LAYER PRINT GENERATION]]\n"
                .utf8))
    exit(EX_USAGE)
}

var space = DiskBench.Space()
if arguments.count == 9, let generation = UInt32(arguments[8]) {
    space = DiskBench.Space(layer: arguments[6], fingerprint: arguments[7], generation: generation)
}

let bench: DiskBench
do {
    bench = try DiskBench(
        path: arguments[2], count: count, size: size, maxBytes: maxBytes, space: space,
        isFilling: arguments[1] == "fill")
} catch {
    FileHandle.standardError.write(Data("diskbench: \(error)\n".utf8))
    exit(EX_OSERR)
}
switch arguments[1] {
case "write": await bench.write()
case "fill": await bench.fill()
case "read": await bench.read()
case "first": await bench.first()
case "clear": await bench.clear()
case "quota": await bench.quota(arguments[2], maxBytes: maxBytes)
default: exit(EX_USAGE)
}
await bench.close()
