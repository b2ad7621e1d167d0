import Testing

@testable import TileServer

@Suite struct ClientAddressTests {
    @Test(
        arguments: [
            ("192.0.2.7", [192, 0, 2, 7]), ("::ffff:192.0.2.7", [192, 0, 2, 7]),
            ("255.255.255.255", [255, 255, 255, 255]),
            // All addresses of an IPv6 network are one client, whatever their zone.
            ("2001:db8:1:2:3:4:5:6", [0x20, 1, 0x0D, 0xB8, 0, 1, 0, 2]),
            ("2001:db8:1:2::", [0x20, 1, 0x0D, 0xB8, 0, 1, 0, 2]), ("fe80::1%eth0", [0xFE, 0x80, 0, 0, 0, 0, 0, 0]),
            // A text that is not an address is used as it is.
            ("1.2.3", Array("1.2.3".utf8)), ("192.0.2.07", Array("192.0.2.07".utf8)), ("", []),
            ("192.0.2.7 ", Array("192.0.2.7 ".utf8)), ("somebody", Array("somebody".utf8)),
        ] as [(String, [UInt8])])
    func identifiesClientsByAddress(text: String, bytes: [UInt8]) {
        #expect(ClientAddress(text).bytes == bytes)
    }
}
