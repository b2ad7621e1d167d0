#if canImport(Glibc)
    import Glibc
#endif

// libFuzzer has the `main` and calls this (llvm.org/docs/LibFuzzer.html). FUZZ_TARGET names what is fuzzed.

private let target: FuzzTarget = {
    let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = FuzzTarget(rawValue: name) else {
        fatalError("FUZZ_TARGET is one of \(FuzzTarget.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return target
}()

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    target.run(UnsafeRawBufferPointer(start: start, count: count))
    return 0
}
