import Foundation
import MapGeometry
import Testing

@testable import TileCache

/// Tests for the reserve file, which holds space on the disk and a record of unwritten clears.
struct DiskReserveTests {
    private let setting: DiskSetting

    init() throws {
        setting = try DiskSetting()
    }

    private var file: URL { setting.directory.appendingPathComponent("tiles.sqlite.reserve") }

    @Test func returnsLastWrittenText() {
        let reserve = DiskReserve(database: setting.path)
        #expect(reserve.read() == nil)
        for number in 0..<5 {
            #expect(reserve.write("text \(number)"))
            #expect(reserve.read() == "text \(number)")
            #expect(DiskReserve(database: setting.path).read() == "text \(number)")
        }
        #expect(reserve.write(""))
        #expect(DiskReserve(database: setting.path).read()?.isEmpty == true)
        #expect(setting.size(of: "tiles.sqlite.reserve") == DiskReserve.recordBytes)
    }

    /// The power fails in the middle of a write.
    @Test(arguments: [0, 8, 16, 24, 30])
    func keepsPreviousTextWhenLastIsDamaged(_ offset: Int) throws {
        let reserve = DiskReserve(database: setting.path)
        for text in ["first text", "second text"] { #expect(reserve.write(text)) }
        var bytes = try Data(contentsOf: file)
        // The second write uses the slot of even numbers.
        bytes[offset] ^= 0x55
        try bytes.write(to: file)
        #expect(DiskReserve(database: setting.path).read() == "first text")
    }

    @Test func rejectsTextThatIsTooLong() {
        let reserve = DiskReserve(database: setting.path)
        #expect(reserve.write("short"))
        #expect(!reserve.write(String(repeating: "x", count: DiskReserve.textBytes + 1)))
        #expect(reserve.write(String(repeating: "x", count: DiskReserve.textBytes)))
        #expect(reserve.read()?.count == DiskReserve.textBytes)
    }

    @Test func recreatesDeletedFile() throws {
        let reserve = DiskReserve(database: setting.path)
        #expect(reserve.write("old"))
        try FileManager.default.removeItem(at: file)
        #expect(reserve.write("new"))
        #expect(DiskReserve(database: setting.path).read() == "new")
    }

    @Test func givesUpSpaceButKeepsText() {
        let reserve = DiskReserve(database: setting.path)
        #expect(reserve.write("text"))
        reserve.take(1 << 20)
        #expect(reserve.spare == 1 << 20)
        reserve.take(1 << 19)
        #expect(reserve.spare == 1 << 20)
        #expect(reserve.giveUp() == 1 << 20)
        #expect(reserve.spare == 0 && reserve.giveUp() == 0)
        #expect(reserve.read() == "text")
    }

    @Test func keepsItsSpaceWhenDiskHasNoMore() {
        // Skips a file system without a size limit, because it would really allocate this space.
        guard DiskFile(path: setting.path).freeBytes != nil else { return }
        let reserve = DiskReserve(database: setting.path)
        #expect(reserve.write("text") && reserve.take(1 << 20))
        #expect(!reserve.take(1 << 60))
        #expect(reserve.spare == 1 << 20)
        #expect(reserve.read() == "text")
    }

    @Test func rejectsLinkInPlaceOfFile() throws {
        try FileManager.default.createSymbolicLink(
            at: file, withDestinationURL: setting.directory.appendingPathComponent("elsewhere"))
        #expect(!DiskReserve(database: setting.path).write("text"))
        #expect(throws: DiskStoreError.notAFile(path: file.path)) { try setting.open() }
    }

    // MARK: Text of the record

    private func purge(_ x: Int, isSoft: Bool = false, of namespace: StoreNamespace = .sea) -> PurgeFilter {
        PurgeFilter(
            space: SpaceKey(namespace: namespace, generation: 3), area: .box(TileBox(StoreKey(14, x, 7).coordinate)),
            epoch: Int64(x + 1), isSoft: isSoft, time: 1_234)
    }

    @Test func parsesOwnText() {
        var clears = UnwrittenClears(generations: ["sea": 4, "land": .max, "": 0])
        clears.filters = [purge(0), purge(1, isSoft: true, of: .land)]
        let everything = PurgeFilter(
            space: SpaceKey(namespace: .sea, generation: 3), area: .everything, epoch: 3, isSoft: false, time: -1)
        clears.filters.append(everything)
        #expect(clears.text(atMost: 1_000).map(UnwrittenClears.init) == clears)
        #expect(UnwrittenClears().text(atMost: 0)?.isEmpty == true)
        #expect(UnwrittenClears("layer\tsea\nlayer\tsea\t-1\npurge\t1\n\n\t").isEmpty)
    }

    @Test func widensPurgesThatNeedTooMuchSpace() throws {
        let clears = UnwrittenClears(
            generations: ["sea": 4],
            filters: (0..<100).map { purge($0) } + (0..<100).map { purge($0, isSoft: true, of: .land) })
        let read = UnwrittenClears(try #require(clears.text(atMost: 500)))
        #expect(read.generations == ["sea": 4])
        #expect(read.filters.count == 2 && read.filters.allSatisfy { $0.area == .everything })
        #expect(read.filters.filter(\.isSoft).map(\.space.namespace) == [.land])
        #expect(clears.text(atMost: 50) == nil)
    }

    @Test func rejectsNamesWithSeparators() {
        #expect(UnwrittenClears(generations: ["a\tb": 1]).text(atMost: 1_000) == nil)
        #expect(UnwrittenClears(generations: ["a\nb": 1]).text(atMost: 1_000) == nil)
    }
}
