import Keys
import Testing

@testable import Configuration

/// Tests of `Configuration.changedKeys`, which lists the keys that differ between two configurations.
struct ChangedKeyTests {
    private func changed(_ change: (inout Configuration) -> Void) -> [String] {
        var next = Configuration()
        change(&next)
        return Configuration.changedKeys(Configuration(), next)
    }

    @Test func namesNoKeysWhenNothingChanged() {
        #expect(changed { _ in } == [])
    }

    @Test func namesChangedKeysOfNestedSections() {
        #expect(
            changed {
                $0.server.port = 1
                $0.server.memory = 64 << 20
                $0.server.trustedProxies = [AddressBlock("10.0.0.0/8")].compactMap(\.self)
                $0.server.limits.head = 2_048
                $0.cache.directory = "elsewhere"
            } == ["server.port", "server.trustedProxies", "server.memory", "server.limits.head", "cache.directory"])
    }

    /// An optional section that is added or removed is reported by its own name.
    @Test func namesAnOptionalSection() {
        #expect(changed { $0.cache.disk = DiskSettings() } == ["cache.disk"])
        var (old, new) = (Configuration(), Configuration())
        (old.cache.disk, new.cache.disk) = (DiskSettings(), DiskSettings())
        #expect(Configuration.changedKeys(old, new) == [])
        new.cache.disk?.minFree = 1
        #expect(Configuration.changedKeys(old, new) == ["cache.disk.minFree"])
    }

    /// A change from null to the default value is a change of the key.
    @Test func distinguishesNullFromDefaultValue() {
        #expect(changed { $0.cache.memory = 256 << 20 } == ["cache.memory"])
    }
}
