#if canImport(Glibc)
    import Glibc
#endif

private let target: FuzzTarget = {
    let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = FuzzTarget(rawValue: name) else {
        fatalError("FUZZ_TARGET is one of \(FuzzTarget.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return target
}()

private typealias Arguments = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
private typealias OneInput = @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt

/// libFuzzer as a library (llvm.org/docs/LibFuzzer.html).
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutablePointer<Arguments?>, _ run: OneInput
) -> CInt

/// What the package manager has the program begin with: `main` of the module `fuzz`. FUZZ_TARGET names what is fuzzed.
@_cdecl("fuzz_main")
public func fuzzMain(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    var (count, arguments) = (count, arguments)
    return runDriver(&count, &arguments) { start, count in
        target.run(UnsafeRawBufferPointer(start: start, count: count))
        return 0
    }
}

/// What libFuzzer's own `main`, which the linker takes along, would call.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    target.run(UnsafeRawBufferPointer(start: start, count: count))
    return 0
}
