import Configuration
import Foundation
import Testing
import Text

/// Tests of `server.memory` and `cache.memory` (docs/spec/threats.md 2).
@Suite struct MemoryKeyTests {
    private func plan(
        server: Int? = nil, cache: Int? = nil, limit: Int? = nil, fonts: [String] = []
    ) -> MemoryPlan {
        var configuration = Configuration()
        configuration.fonts = fonts
        (configuration.server.memory, configuration.cache.memory) = (server.map { $0 << 20 }, cache.map { $0 << 20 })
        return configuration.memoryPlan(limit: limit.map { $0 << 20 })
    }

    /// All values are in MiB: `server.memory`, `cache.memory`, the limit of the control group, then the expected total
    /// and the expected part of the tiles.
    @Test(
        arguments: [
            (nil, nil, nil, 576, 256), (nil, 64, nil, 336, 64), (nil, 0, nil, 256, 0), (nil, 1_024, nil, 1_536, 1_024),
            (1_000, nil, nil, 1_000, 256), (200, nil, nil, 200, 64), (nil, nil, 10_000, 576, 256),
            (nil, nil, 500, 450, 184), (nil, 64, 200, 180, 64), (300, nil, 500, 300, 104),
            (nil, nil, 64, 57, 9), (64, nil, nil, 64, 9), (32, nil, nil, 32, 4),
        ] as [(Int?, Int?, Int?, Int, Int)])
    func derivesDefaultsFromSettingsAndLimit(server: Int?, cache: Int?, limit: Int?, total: Int, tiles: Int) {
        let plan = plan(server: server, cache: cache, limit: limit)
        #expect((plan.total >> 20, plan.tiles >> 20) == (total, tiles))
        #expect(plan.images == min(plan.tiles / 8, 64 << 20))
    }

    /// For any setting, clients get at least an eighth of the total, or 192 MiB. The parts together never exceed the
    /// total.
    @Test(arguments: [nil, 32, 64, 100, 512, 4_096, 1 << 20] as [Int?], [nil, 0, 16, 90, 500, 1 << 20] as [Int?])
    func neverDistributesMoreThanTheTotal(server: Int?, cache: Int?) {
        for limit in [nil, 64, 300, 100_000] as [Int?] {
            for fonts in [[], ["a.ttf"]] {
                let plan = plan(server: server, cache: cache, limit: limit, fonts: fonts)
                #expect(plan.clients >= min(plan.total / 8, 192 << 20))
                #expect(plan.tiles / 4 * 5 + plan.clients + plan.text.files <= plan.total)
                #expect(plan.tiles >= 0 && plan.images >= 0 && plan.text.files >= 0)
            }
        }
    }

    /// Fonts and glyphs take at most 32 MiB, and no memory from tiles unless `server.memory` is small.
    @Test func givesFontsTheirShare() {
        #expect(plan().text == FontList.Memory(files: 0, glyphs: 8 << 20))
        let with = plan(fonts: ["a.ttf"])
        #expect(with.text == .standard && with.text.files + with.text.glyphs <= 32 << 20)
        #expect((with.tiles, with.clients) == (plan().tiles, plan().clients))
        #expect(plan(server: 64, fonts: ["a.ttf"]).text == FontList.Memory(files: 8 << 20, glyphs: 1 << 20))
    }

    /// The first 32 MiB that the process holds already count as the program itself and do not change the rest.
    @Test func addsMemoryThatTheProcessAlreadyHolds() {
        let plan = plan(cache: 64)
        #expect(plan.rest(beside: 0) >> 20 == 144 && plan.rest(beside: 32 << 20) >> 20 == 144)
        #expect(plan.rest(beside: 500 << 20) >> 20 == 144 + 468)
    }

    @Test func givesTilesTheirShareForEveryLimit() {
        for limit in 32...4_096 {
            let bytes = limit << 20
            #expect(plan(limit: limit).tiles == min(256 << 20, max((bytes - (40 << 20)) / 5 * 2, bytes / 8)))
        }
    }

    @Test func refusesACacheLargerThanTheServer() {
        let text = "\(anyLayer)server: { memory: 64MiB }\ncache: { memory: 65MiB }\n"
        let message = "expected at most server.memory (64 MiB), found 65 MiB"
        #expect(problems(text) == ["t.yaml:4:18: cache.memory: \(message)"])
        let variable = "TILESERVER_CACHE_MEMORY"
        #expect(
            problems("\(anyLayer)server: { memory: 64MiB }\n", environment: [variable: "65MiB"])
                == ["environment variable \(variable): \(message)"])
        #expect(problems(text, environment: [variable: "64MiB"]).isEmpty)
    }

    /// The complaint stands among other mistakes in the order of lines.
    @Test func reportsTheCacheMistakeInLineOrder() {
        let text = "server: { memory: 64MiB }\ncache: { memory: 65MiB }\nadmin: { x: 1 }\n\(anyLayer)"
        let found = problems(text)
        #expect(found.count == 2 && found.first?.hasPrefix("t.yaml:2:18: cache.memory: ") == true)
    }

    @Test func refusesACacheAboveTheControlGroupsLimit() {
        var configuration = Configuration()
        configuration.cache.memory = 1 << 30
        let refusal = configuration.memoryRefusal(limit: 1_000 << 20)
        #expect(
            refusal?.message
                == "expected at most server.memory (900 MiB, nine tenths of the control group's limit), found 1024 MiB")
        #expect(configuration.memoryRefusal(limit: 2_000 << 20) == nil)
        #expect(configuration.memoryRefusal(limit: nil) == nil)
    }

    @Test func refusesLessThanAProcessNeeds() {
        let text = "\(anyLayer)server: { memory: 31MiB }\n"
        #expect(problems(text) == ["t.yaml:3:19: server.memory: 31MiB is below 32MiB"])
    }
}

@Suite struct ControlGroupTests {
    /// Returns the memory limit that `ControlGroup` reads if these files lie below the root directory.
    private func limit(_ files: [String: String]) throws -> Int? {
        let root = FileManager.default.temporaryDirectory.appending(path: "cgroup-\(UUID().uuidString)")
        defer {
            // A directory left behind in the temporary directory harms no test.
            try? FileManager.default.removeItem(at: root)
        }
        for (path, text) in files {
            let file = root.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        return ControlGroup.memoryLimit(root: root.path)
    }

    private let two = "0::/a/b\n"
    private let one = "4:cpu,memory:/docker/ab\n0::/\n"

    @Test func returnsNilWithoutALimit() throws {
        #expect(try limit([:]) == nil)
        #expect(try limit(["proc/self/cgroup": two]) == nil)
        #expect(try limit(["proc/self/cgroup": two, "sys/fs/cgroup/a/b/memory.max": "max\n"]) == nil)
        #expect(try limit(["proc/self/cgroup": "nonsense\n::\n", "sys/fs/cgroup/memory.max": "5\n"]) == nil)
    }

    @Test func takesTheLowestLimitOfParentGroups() throws {
        let files = [
            "proc/self/cgroup": two, "sys/fs/cgroup/a/b/memory.max": "max\n", "sys/fs/cgroup/a/memory.max": "3000\n",
            "sys/fs/cgroup/memory.max": "4000\n", "sys/fs/cgroup/other/memory.max": "1\n",
        ]
        #expect(try limit(files) == 3_000)
    }

    /// In a container, the mounted directory is the control group itself, with no directory for the group below it.
    @Test func readsTheLimitOfAContainer() throws {
        #expect(try limit(["proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "67108864\n"]) == 64 << 20)
        #expect(
            try limit(["proc/self/cgroup": one, "sys/fs/cgroup/memory/memory.limit_in_bytes": "67108864\n"])
                == 64 << 20)
        #expect(try limit(["proc/self/cgroup": "0::/../x\n", "sys/fs/cgroup/memory.max": "7\n"]) == 7)
    }

    @Test func readsVersionOne() throws {
        let files = [
            "proc/self/cgroup": one, "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
            "sys/fs/cgroup/memory/docker/ab/memory.limit_in_bytes": "1000\n",
        ]
        #expect(try limit(files) == 1_000)
        #expect(
            try limit(["proc/self/cgroup": one, "sys/fs/cgroup/cpu,memory/docker/memory.limit_in_bytes": "9\n"]) == 9)
    }

    @Test func readsVersionTwoBesideVersionOne() throws {
        #expect(try limit(["proc/self/cgroup": two, "sys/fs/cgroup/unified/a/memory.max": "12\n"]) == 12)
    }

    @Test func readsTheLimitOfThisMachine() {
        // The limit of this machine is unknown, but it must exceed 1 MiB or the tests could not run.
        #expect(ControlGroup.memoryLimit().map { $0 > 1 << 20 } != false)
    }
}
