import Foundation
import GRDB

/// Makes the database file smaller, so that the file system gets the free pages back.
extension DiskWriter {
    /// Makes the database file smaller if it has many free pages. There are three ways:
    ///
    /// - If the file has few free pages, SQLite moves pages to them and shortens the file in one commit.
    /// - If few pages are in use, for example after a clear, SQLite writes them into a new, small database (VACUUM).
    ///   The other ways would write a large part of the free pages to the log.
    /// - Otherwise the writer returns a few pages in each step. Such a step is slow, because SQLite searches for each
    ///   page in the list of all free pages. After each slow step, the writer therefore does other work for some times
    ///   as long.
    ///
    /// If `isQuick` is true, slow steps are done later, except on a full file system. New tiles can use the free pages
    /// in the meantime.
    func giveBack(isQuick: Bool) {
        let isTight = givenUp != nil
        let isTooLarge = pages.all > budget.pages && pages.free > 0
        let isMuch = pages.free > (isTight ? 16 : 256) && pages.free > pages.all / 8
        if !isVacuuming { isVacuuming = isTooLarge || isMuch }
        guard isVacuuming, failure == nil else { return }
        let before = pages.all
        var slowSeconds: Double?
        // If the file system is full, the log can only use the space that is free there.
        let room = (isTight ? (environment.freeBytes(connection.file) ?? 0) / 2 : .max) / DiskSchema.pageSize
        if pages.free <= min(budget.movedPages, room / 4) {
            giveAllBack()
        } else if pages.held <= min(budget.rewrittenPages, room / 2) {
            rewrite()
        } else if isQuick, !isTight {
            return giveBackLater(after: 0)
        } else {
            slowSeconds = giveSomeBack()
        }
        // Stop after a step without effect, because the next step would probably have none either. A later call begins
        // again if it is necessary.
        isVacuuming = pages.all < before && (isTooLarge || pages.free > pages.all / 32)
        if !isVacuuming || isTight { emptyLog(over: 0) }
        if isVacuuming, let slowSeconds { giveBackLater(after: limits.vacuumPause * slowSeconds) }
    }

    /// Makes the file smaller again after `seconds`, if no earlier call did.
    private func giveBackLater(after seconds: Double) {
        guard !isGivingBackDue else { return }
        isGivingBackDue = true
        queue.asyncAfter(deadline: .now() + max(seconds, 0.01)) { [weak self] in
            guard let self else { return }
            isGivingBackDue = false
            guard failure == nil, skip == nil, connection.pool != nil, isVacuuming else { return }
            giveBack(isQuick: false)
            publish()
        }
    }

    /// Has SQLite refuse to make the file larger than the quota and a batch. A file from a time with a larger quota may
    /// grow by a batch: SQLite needs a new page to change some rows, also for the trim.
    func limitPages(in db: Database) throws {
        let all = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
        let most = max(budget.pages, all) + limits.batchBytes / DiskSchema.pageSize
        try db.execute(sql: "PRAGMA max_page_count = \(most)")
    }

    /// Returns a few free pages at the end of the file, and returns the seconds that this took. The number of pages
    /// follows the time of the steps, so that a clear never waits long for a step.
    private func giveSomeBack() -> Double {
        let most = max(min(limits.vacuumCount, budget.movedPages), 1)
        slowPages = min(slowPages, most)
        let began = ProcessInfo.processInfo.systemUptime
        _ = transaction { [slowPages] db in
            try db.execute(sql: "PRAGMA incremental_vacuum(\(slowPages))")
            try limitPages(in: db)
        }
        let seconds = ProcessInfo.processInfo.systemUptime - began
        if seconds > limits.vacuumStep { slowPages = max(slowPages / 2, 1) }
        if seconds < limits.vacuumStep / 4 { slowPages = min(slowPages * 2, most) }
        return seconds
    }

    private func giveAllBack() {
        shrink { db in
            defer { restoreVacuum(db) }
            try db.execute(sql: "PRAGMA auto_vacuum = FULL")
            try environment.willUseSpace()
            // Any change of the database starts the work.
            try db.execute(sql: "UPDATE state SET filler = NULL")
        }
    }

    /// Writes all pages in use into a temporary database in memory, and from there to the beginning of the file.
    private func rewrite() {
        let counted = CountedPages(pages.held * DiskSchema.pageSize, in: environment.budget)
        withExtendedLifetime(counted) {
            shrink { db in
                try environment.willUseSpace()
                try db.execute(sql: "VACUUM")
                try limitPages(in: db)
            }
        }
    }

    /// Calls `work` outside of a transaction, if the log has room for a step.
    private func shrink(_ work: (Database) throws -> Void) {
        guard hasLog(for: budget.stepLogBytes), failure == nil, let pool = connection.pool else { return }
        do {
            try pool.writeWithoutTransaction { db in
                try work(db)
                try count(db)
            }
        } catch {
            failed(error)
        }
    }

    /// Sets the mode in which SQLite returns pages only on request. In the other mode each commit would move all free
    /// pages.
    func restoreVacuum(_ db: Database) {
        // The mode holds for this connection before it is written. If it cannot be written now, the next opening writes
        // it.
        guard (try? Int.fetchOne(db, sql: "PRAGMA auto_vacuum")) == 1 else { return }
        try? db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
    }
}
