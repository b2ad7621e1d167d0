import Foundation

// Measures the cost of tiles that the server draws, for scripts/bench: `tilebench ROUNDS [NAME…]`. Draws and encodes in
// one thread. Prints a line for each round of each selection: name, selection, scale, number of tiles, their CPU time
// and elapsed time in microseconds, and their bytes.

/// Returns the time of a clock in microseconds.
func now(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
}

func measure(_ maker: TileMaker, _ selection: TileSelection) throws {
    for coordinate in selection.coordinates { try maker.prepare(coordinate, selection.scale) }
    let (cpu, time) = (now(CLOCK_PROCESS_CPUTIME_ID), now(CLOCK_MONOTONIC))
    let sizes = try selection.coordinates.compactMap { try maker.make($0, selection.scale) }
    let (spent, passed) = (now(CLOCK_PROCESS_CPUTIME_ID) - cpu, now(CLOCK_MONOTONIC) - time)
    print(
        maker.name, selection.name, selection.scale, sizes.count, Int(spent), Int(passed), sizes.reduce(0, +))
}

let arguments = CommandLine.arguments.dropFirst()
if arguments.first == "--geojson" {
    guard try FileBench.run(arguments.dropFirst()) else { exit(EX_USAGE) }
    exit(EX_OK)
}
if arguments.first == "--borders" {
    let result = try BorderCheck.run(arguments.dropFirst())
    exit(result.isUsage ? result.isEqual ? EX_OK : EXIT_FAILURE : EX_USAGE)
}
if arguments.first == "--decisions" {
    let result = try DecisionCheck.run(arguments.dropFirst())
    exit(result.isUsage ? result.isEqual ? EX_OK : EXIT_FAILURE : EX_USAGE)
}
let names = arguments.dropFirst()
let makers = TileMaker.all.filter { names.isEmpty || names.contains($0.name) }
guard let rounds = arguments.first.flatMap({ Int($0) }), rounds > 0, makers.count >= Set(names).count else {
    let known = TileMaker.all.map(\.name).joined(separator: " ")
    FileHandle.standardError.write(Data("usage: tilebench ROUNDS [NAME…], of \(known)\n".utf8))
    exit(EX_USAGE)
}
do {
    for maker in makers {
        let selections = TileSelection.all(around: maker.place)
        // The first tile of each zoom also builds shared tables, so it is not measured.
        for selection in selections {
            var seen: Set<Int> = []
            for coordinate in selection.coordinates where seen.insert(coordinate.z).inserted {
                _ = try maker.make(coordinate, selection.scale)
            }
        }
        for _ in 0..<rounds {
            for selection in selections { try measure(maker, selection) }
        }
    }
} catch {
    FileHandle.standardError.write(Data("tilebench: \(error)\n".utf8))
    exit(EX_SOFTWARE)
}
