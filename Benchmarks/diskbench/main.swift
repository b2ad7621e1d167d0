import Foundation

// Measures the disk tier for scripts/bench: `diskbench write|read|first|clear|quota <path> <tiles> <bytes of a tile>
// [<maximum bytes of the store>]`. Prints a line with a name and a number for each result.

let arguments = CommandLine.arguments
guard (5...6).contains(arguments.count), let count = Int(arguments[3]), let size = Int(arguments[4]), count > 0,
    size >= 8, let maxBytes = arguments.count == 6 ? Int(arguments[5]) : 64 << 30, maxBytes > 0
else {
    FileHandle.standardError.write(
        Data("usage: diskbench write|read|first|clear|quota <path> <tiles> <bytes> [<most bytes>]\n".utf8))
    exit(EX_USAGE)
}

let bench: DiskBench
do {
    bench = try DiskBench(path: arguments[2], count: count, size: size, maxBytes: maxBytes)
} catch {
    FileHandle.standardError.write(Data("diskbench: \(error)\n".utf8))
    exit(EX_OSERR)
}
switch arguments[1] {
case "write": await bench.write()
case "read": await bench.read()
case "first": await bench.first()
case "clear": await bench.clear()
case "quota": await bench.quota(arguments[2], maxBytes: maxBytes)
default: exit(EX_USAGE)
}
await bench.close()
