import Foundation

// Measures resources that stopped servers leave in a process, for scripts/lifetimes: `lifetimes starts <count>
// <upstream> <directory>` or `lifetimes reloads <count>`. Prints a line for each resource: its name, and its amounts
// before and after.

let arguments = CommandLine.arguments
guard arguments.count >= 3, let count = Int(arguments[2]), count > 0 else {
    let usage = "usage: lifetimes starts <count> <upstream> <directory> | reloads <count>\n"
    FileHandle.standardError.write(Data(usage.utf8))
    exit(EX_USAGE)
}
do {
    switch (arguments[1], arguments.count) {
    case ("starts", 5): try await Starts(upstream: arguments[3], directory: arguments[4]).measure(count)
    case ("reloads", 3): try await Reloads.measure(count)
    default: exit(EX_USAGE)
    }
} catch {
    FileHandle.standardError.write(Data("lifetimes: \(error)\n".utf8))
    exit(EX_SOFTWARE)
}
