import TestSupport
import Testing

@testable import Fleet
@testable import TileServer

/// Tests of the slots for batches that are being read.
@Suite struct OpenBatchesTests {
    private let open = OpenBatches()

    private func place(_ number: Int?, _ host: Int = 1) -> OpenBatches.Place {
        let signature = number.map { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        return OpenBatches.Place(signature: signature, address: ClientAddress("10.0.0.\(host)").bytes)
    }

    @Test func limitsAnAddressToOneUnsignedBatch() {
        #expect(open.begin(place(nil)) && !open.begin(place(nil)))
        open.end(place(nil))
        #expect(open.begin(place(nil)))
    }

    @Test func limitsUnsignedBatchesAndKeepsRoomForOthers() {
        let taken = (1...100).filter { open.begin(place(nil, $0)) }
        #expect(taken == Array(1...OpenBatches.mostUnsigned))
        #expect(open.begin(place(1, 1)))
        for host in taken { open.end(place(nil, host)) }
        #expect(open.begin(place(nil, 100)))
    }

    @Test func limitsSignedBatchesOfOneAddress() {
        #expect((1...100).count { open.begin(place($0)) } == OpenBatches.mostOfAddress)
        #expect((101...200).count { open.begin(place($0, 2)) } == OpenBatches.mostSigned - OpenBatches.mostOfAddress)
        open.end(place(1))
        #expect(open.begin(place(201, 3)) && !open.begin(place(202, 3)))
    }

    /// A batch that was recorded on the network gets one slot, from any address.
    @Test func readsABatchOnceAtATime() {
        #expect(open.begin(place(1)) && !open.begin(place(1)) && !open.begin(place(1, 2)))
        open.end(place(1))
        #expect(open.begin(place(1, 2)))
    }

    /// The first 64 bits of an IPv6 address name a network, which counts as one client.
    @Test func countsAnIPv6NetworkAsOneAddress() {
        let address = { OpenBatches.Place(signature: nil, address: ClientAddress($0).bytes) }
        #expect(open.begin(address("2001:db8::1")) && !open.begin(address("2001:db8::2")))
        #expect(open.begin(address("2001:db8:0:1::1")))
    }
}
