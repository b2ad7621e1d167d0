import Testing

@testable import Bytes

@Suite struct TimestampTests {
    @Test func writesTheBasicFormat() {
        #expect(basicTimestamp(secondsSince1970: 1_369_353_600) == "20130524T000000Z")
        #expect(basicTimestamp(secondsSince1970: 1_440_938_160) == "20150830T123600Z")
        #expect(basicTimestamp(secondsSince1970: -1) == "19691231T235959Z")
        #expect(basicTimestamp(secondsSince1970: .min) == "00010101T000000Z")
        #expect(basicTimestamp(secondsSince1970: .max) == "99991231T235959Z")
    }

    @Test func writesHexadecimalDigits() {
        #expect(String(decoding: ASCII.hexadecimal([0, 0x0F, 0xA0, 0xFF]), as: UTF8.self) == "000fa0ff")
    }
}
