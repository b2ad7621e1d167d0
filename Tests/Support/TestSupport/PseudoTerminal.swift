import Glibc

/// A pseudo-terminal (pty(7)), which is a character device that a test can create without root. It buffers up to 4
/// KiB of unread bytes, and a longer write blocks.
///
/// This type is a class because it owns descriptors. Thread rule: one thread at a time.
public final class PseudoTerminal {
    /// The path of the device.
    public let path: String
    /// The controlling side: reads the bytes that are written to the device.
    public let controller: Int32
    /// Keeps the device open. The system drops unread bytes when the device's last descriptor is closed.
    private let device: Int32

    public init() throws {
        var (controller, device): (Int32, Int32) = (-1, -1)
        var name = [CChar](repeating: 0, count: 128)
        guard openpty(&controller, &device, &name, nil, nil) == 0 else {
            throw RawClient.Failure.system("openpty", errno)
        }
        (self.controller, self.device) = (controller, device)
        path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        close(device)
        close(controller)
    }

    /// True if a character device exists at the path.
    public var isThere: Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFCHR
    }
}
