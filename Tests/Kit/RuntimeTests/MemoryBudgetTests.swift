import Dispatch
import Foundation
import TestSupport
import Testing

@testable import Runtime

@Suite struct MemoryBudgetTests {
    /// Waits until exactly `count` reservations wait in `budget`.
    private func waiting(_ count: Int, in budget: MemoryBudget) async {
        await expectEventually { budget.waitingCount == count }
    }

    @Test func refusesBytesBeyondTheBound() {
        let budget = MemoryBudget(bytes: 800)
        #expect(budget.take(500, for: .tiles))
        #expect(!budget.take(301, for: .tiles))
        #expect(budget.take(300, for: .tiles))
        #expect(!budget.take(1, for: .tiles))
        budget.giveBack(1, for: .tiles)
        #expect(budget.take(1, for: .tiles) && budget.used == 800)
    }

    /// The shares are defined in docs/spec/threats.md 2.
    @Test(arguments: [
        (MemoryBudget.Use.images, 500), (.requests, 200), (.answers, 200), (.largeTiles, 600),
        (.tiles, 800),
    ])
    func limitsEachUseToItsShare(use: MemoryBudget.Use, share: Int) {
        let budget = MemoryBudget(bytes: 800)
        #expect(budget.most(for: use) == share)
        #expect(budget.take(share, for: use))
        #expect(!budget.take(1, for: use))
        #expect(budget.used(by: use) == share && budget.used == share)
    }

    /// A large tile can have more than the share if the budget is small, but only one tile at a time.
    @Test func letsOneEncodedTileExceedTheShare() {
        let budget = MemoryBudget(bytes: 800)
        #expect(budget.most(for: .encodedTiles) == 800)
        #expect(budget.take(500, for: .encodedTiles))
        #expect(!budget.take(1, for: .encodedTiles))
        budget.giveBack(500, for: .encodedTiles)
        #expect(budget.take(150, for: .encodedTiles) && budget.take(50, for: .encodedTiles))
        #expect(!budget.take(1, for: .encodedTiles))
    }

    /// The fuller the budget is, the fewer uses may take memory. Images are refused first and tiles last.
    @Test func refusesImagesFirstAndTilesLast() {
        let budget = MemoryBudget(bytes: 800)
        budget.add(600, for: .tiles)
        #expect(!budget.take(1, for: .images))
        #expect(budget.take(50, for: .requests) && budget.take(50, for: .answers))
        #expect(!budget.take(1, for: .requests) && !budget.take(1, for: .answers))
        #expect(budget.take(100, for: .tiles))
        #expect(!budget.take(1, for: .tiles))
    }

    @Test func countsAddedBytesBeyondTheBound() {
        let budget = MemoryBudget(bytes: 100)
        budget.add(1_000, for: .answers)
        #expect(budget.used == 1_000 && !budget.take(0, for: .answers))
        budget.giveBack(1_000, for: .answers)
        #expect(budget.used == 0 && budget.take(25, for: .answers))
    }

    @Test func hasNoLimitAtTheLargestSize() {
        let budget = MemoryBudget(bytes: .max)
        #expect(budget.take(1 << 60, for: .requests) && budget.take(1 << 62, for: .tiles))
        #expect(budget.most(for: .tiles) == .max)
    }

    // MARK: Reservations

    @Test func releasesAReservationOnDeinit() async throws {
        let budget = MemoryBudget(bytes: 800)
        do {
            let reservation = try await budget.reserve(100, for: .images, until: .distantFuture)
            #expect(budget.used(by: .images) == 100)
            #expect(reservation.resize(to: 500) && !reservation.resize(to: 501))
            #expect(reservation.bytes == 500)
            #expect(reservation.resize(to: 20) && budget.used == 20)
        }
        #expect(budget.used == 0)
        let reservation = try #require(budget.reservation(of: 800, for: .tiles))
        #expect(budget.reservation(of: 1, for: .tiles) == nil)
        reservation.release()
        reservation.release()
        #expect(budget.used == 0)
    }

    @Test func refusesReservationsThatNeverFit() async {
        let budget = MemoryBudget(bytes: 800)
        await #expect(throws: MemoryShortageError.neverFits(most: 500)) {
            try await budget.reserve(501, for: .images, until: .distantFuture)
        }
    }

    @Test(arguments: [-1.0, 0.02]) func waitsNoLongerThanItsDeadline(seconds: Double) async {
        let budget = MemoryBudget(bytes: 800)
        budget.add(600, for: .images)
        let deadline =
            seconds < 0 ? MonotonicTime.now().subtracting(seconds: 1) : .now().adding(seconds: seconds)
        await #expect(throws: MemoryShortageError.noRoom) {
            try await budget.reserve(1, for: .images, until: deadline)
        }
        #expect(budget.used == 600 && budget.waitingCount == 0)
    }

    @Test func admitsWaitersInOrder() async throws {
        let budget = MemoryBudget(bytes: 800)
        budget.add(500, for: .images)
        let large = Task { try await budget.reserve(400, for: .images, until: .distantFuture) }
        await waiting(1, in: budget)
        let small = Task { try await budget.reserve(10, for: .images, until: .distantFuture) }
        await waiting(2, in: budget)
        // The small reservation would fit, but it waits behind the large one.
        budget.giveBack(300, for: .images)
        #expect(budget.waitingCount == 2 && budget.used == 200)
        budget.giveBack(110, for: .images)
        let held = [try await large.value, try await small.value]
        #expect(budget.used == 500)
        held.forEach { $0.release() }
    }

    @Test func admitsTilesBeforeImages() async throws {
        let budget = MemoryBudget(bytes: 800)
        budget.add(800, for: .tiles)
        let image = Task { try await budget.reserve(200, for: .images, until: .distantFuture) }
        await waiting(1, in: budget)
        let tile = Task { try await budget.reserve(500, for: .tiles, until: .distantFuture) }
        await waiting(2, in: budget)
        budget.giveBack(500, for: .tiles)
        let first = try await tile.value
        #expect(budget.used(by: .images) == 0 && budget.waitingCount == 1)
        first.release()
        let second = try await image.value
        #expect(second.bytes == 200)
    }

    @Test func admitsOthersWhenAWaiterIsCancelled() async throws {
        let budget = MemoryBudget(bytes: 800)
        budget.add(400, for: .images)
        let large = Task { try await budget.reserve(300, for: .images, until: .distantFuture) }
        await waiting(1, in: budget)
        let small = Task { try await budget.reserve(100, for: .images, until: .distantFuture) }
        await waiting(2, in: budget)
        large.cancel()
        #expect(try await small.value.bytes == 100)
        await #expect(throws: MemoryShortageError.noRoom) { try await large.value }
    }

    @Test func doesNotWaitInACancelledTask() async {
        let budget = MemoryBudget(bytes: 8)
        budget.add(8, for: .tiles)
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await budget.reserve(1, for: .tiles, until: .distantFuture)
        }
        task.cancel()
        await #expect(throws: MemoryShortageError.noRoom) { try await task.value }
    }

    /// A large tile waits for an image to end, and the image needs small tiles. So small tiles pass the large one.
    @Test func smallTilesDoNotWaitBehindLargeOnes() async throws {
        let budget = MemoryBudget(bytes: 800)
        #expect(budget.use(forTileOf: 133) == .tiles && budget.use(forTileOf: 134) == .largeTiles)
        #expect(budget.take(500, for: .images))
        let large = Task { try await budget.reserve(400, for: .largeTiles, until: .distantFuture) }
        await waiting(1, in: budget)
        try await budget.reserve(133, for: .tiles, until: .now()).release()
        budget.giveBack(500, for: .images)
        try await large.value.release()
        #expect(budget.used == 0)
    }

    // MARK: Threads that block

    @Test func resumesABlockedThreadWhenThereIsRoom() async throws {
        let budget = MemoryBudget(bytes: 800)
        #expect(budget.take(700, for: .tiles))
        let thread = Task.detached {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    // The test sees an error as nil.
                    continuation.resume(
                        returning: try? budget.reserveBlocking(200, for: .tiles, until: .distantFuture, plain: nil))
                }
            }
        }
        await waiting(1, in: budget)
        budget.giveBack(700, for: .tiles)
        let reservation = try #require(await thread.value)
        #expect(reservation.bytes == 200 && budget.used == 200)
        reservation.release()
    }

    @Test(arguments: [-1.0, 0.02]) func blocksAThreadNoLongerThanItsDeadline(seconds: Double) {
        let budget = MemoryBudget(bytes: 800)
        #expect(budget.take(700, for: .tiles))
        #expect(throws: MemoryShortageError.noRoom) {
            try budget.reserveBlocking(200, for: .tiles, until: .now().adding(seconds: seconds), plain: nil)
        }
        #expect(throws: MemoryShortageError.neverFits(most: 800)) {
            try budget.reserveBlocking(801, for: .tiles, until: .distantFuture, plain: nil)
        }
        #expect(budget.waitingCount == 0 && budget.used == 700)
    }

    @Test func limitsTheNumberOfWaiters() async {
        let budget = MemoryBudget(bytes: 8)
        budget.add(8, for: .tiles)
        let tasks = (0..<1_024).map { _ in
            Task { try await budget.reserve(1, for: .tiles, until: .distantFuture) }
        }
        await waiting(1_024, in: budget)
        await #expect(throws: MemoryShortageError.noRoom) {
            try await budget.reserve(1, for: .tiles, until: .distantFuture)
        }
        tasks.forEach { $0.cancel() }
        for task in tasks { _ = await task.result }
        #expect(budget.waitingCount == 0)
    }

    /// Several tasks take, give back and wait for memory at the same time.
    @Test func neverExceedsTheBoundUnderConcurrency() async {
        let budget = MemoryBudget(bytes: 1_000)
        await withTaskGroup { group in
            for number in 0..<8 {
                group.addTask {
                    for step in 0..<200 {
                        let bytes = (number * 37 + step * 11) % 300 + 1
                        if number < 4 {
                            let held = try? await budget.reserve(bytes, for: .images, until: .distantFuture)
                            #expect(held?.bytes == bytes && budget.used <= 1_000)
                        } else if budget.take(bytes, for: .tiles) {
                            #expect(budget.used <= 1_000)
                            await Task.yield()
                            budget.giveBack(bytes, for: .tiles)
                        }
                    }
                }
            }
        }
        #expect(budget.used == 0 && budget.waitingCount == 0)
    }
}
