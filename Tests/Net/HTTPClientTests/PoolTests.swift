import CLibcurl
import Dispatch
import Testing

/// The memory pool that libcurl uses.
@Suite struct PoolTests {
    private func bytes(_ block: UnsafeMutableRawPointer, _ count: Int) -> [UInt8] {
        Array(UnsafeRawBufferPointer(start: block, count: count))
    }

    @Test(arguments: [0, 1, 16, 17, 48, 49, 4_080, 4_081, 32_752, 32_753, 200_000])
    func allocatesTheRequestedSize(size: Int) throws {
        for _ in 0..<3 {
            let block = try #require(curl_pool_take(size))
            #expect(UInt(bitPattern: block) % 16 == 0)
            block.initializeMemory(as: UInt8.self, repeating: 0xAB, count: size)
            curl_pool_give(block)
        }
    }

    @Test func clearsReusedBlocks() throws {
        let used = try #require(curl_pool_take(100))
        used.initializeMemory(as: UInt8.self, repeating: 0xAB, count: 100)
        curl_pool_give(used)
        let cleared = try #require(curl_pool_take_zeroed(10, 10))
        defer { curl_pool_give(cleared) }
        #expect(bytes(cleared, 100) == [UInt8](repeating: 0, count: 100))
        #expect(curl_pool_take_zeroed(.max, 2) == nil)
        #expect(curl_pool_take(.max) == nil)
    }

    @Test(arguments: [(10, 12), (10, 100), (100, 10), (30_000, 100_000), (100_000, 200_000), (100_000, 10)])
    func keepsContentWhenABlockIsResized(from: Int, to: Int) throws {
        var block = try #require(curl_pool_resize(nil, from))
        block.initializeMemory(as: UInt8.self, repeating: 0xCD, count: from)
        block = try #require(curl_pool_resize(block, to))
        defer { curl_pool_give(block) }
        #expect(bytes(block, min(from, to)).allSatisfy { $0 == 0xCD })
    }

    /// Several threads run at a time. Each thread frees blocks that another thread allocated.
    @Test func freesBlocksOfOtherThreads() {
        for _ in 0..<20 {
            // Each thread accesses only its own indices.
            nonisolated(unsafe) let blocks =
                UnsafeMutableBufferPointer<UnsafeMutableRawPointer?>.allocate(capacity: 1_000)
            defer { blocks.deallocate() }
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                for index in stride(from: thread, to: blocks.count, by: 4) {
                    blocks[index] = curl_pool_take(index * 7)
                    blocks[index]?.initializeMemory(as: UInt8.self, repeating: UInt8(index & 0xFF), count: index * 7)
                }
            }
            let whole = (0..<blocks.count).allSatisfy { index in
                blocks[index].map { bytes($0, index * 7).allSatisfy { $0 == UInt8(index & 0xFF) } } ?? false
            }
            #expect(whole)
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                for index in stride(from: (thread + 1) % 4, to: blocks.count, by: 4) { curl_pool_give(blocks[index]) }
            }
        }
    }
}
