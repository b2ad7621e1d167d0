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

/// The entry point of the program: the package manager calls `main` of the module `fuzz`. FUZZ_TARGET names the fuzz
/// target.
@_cdecl("fuzz_main")
public func fuzzMain(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    var (count, arguments) = (count, arguments)
    return runDriver(&count, &arguments) { start, count in
        target.run(UnsafeRawBufferPointer(start: start, count: count))
        return 0
    }
}

/// The function that libFuzzer's own `main` calls. The linker includes that `main`, too.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    target.run(UnsafeRawBufferPointer(start: start, count: count))
    return 0
}
