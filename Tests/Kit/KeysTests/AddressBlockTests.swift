import Keys
import Testing

struct AddressBlockTests {
    @Test func containsAddressesOfItsBlock() throws {
        let ten = try #require(AddressBlock("10.0.0.0/7"))
        #expect(ten.contains([11, 255, 0, 1]))
        #expect(!ten.contains([12, 0, 0, 0]))
        #expect(ten.contains([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 1, 1, 1]))
        #expect(!ten.contains([]))
        let all = try #require(AddressBlock("::/0"))
        #expect(all.contains(Array(repeating: 9, count: 16)))
        #expect(!all.contains([1, 2, 3, 4]))
        for wrong in ["", "10.0.0.0/", "10.0.0.0/08", "10.0.0.0/+8", "::/129", "10.0.0/8", "::1/64", "1.2.3.4/32/1"] {
            #expect(AddressBlock(wrong) == nil, "\(wrong)")
        }
    }
}
