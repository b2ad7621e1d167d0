import EventLog
import Foundation

extension TileServer {
    /// Does what a program is for, at the top of its `main.swift`:
    ///
    ///     await TileServer.main {
    ///         let server = try TileServer(port: 8080, layers: layers)
    ///         await server.run()
    ///     }
    ///
    /// Where `body` throws, such as for a port that is taken, the program ends with a line on standard error that says why, and with a
    /// status of sysexits.h: 71 for what the system refuses, 78 for what a `TileServer` is described by, 1 for any other error.
    /// Swift itself would end it with a trap and a dump of its registers.
    public static func main(_ body: @Sendable () async throws -> Void) async {
        do {
            try await body()
        } catch {
            LineWriter.standardError.write("\(ProcessInfo.processInfo.processName): \(error)\n")
            // What the program has printed itself.
            fflush(nil)
            LineWriter.endProcess(status: (error as? TileServerError)?.exitStatus ?? 1)
        }
    }
}

extension TileServerError {
    /// EX_OSERR or EX_CONFIG (sysexits.h).
    var exitStatus: Int32 {
        switch self {
        case .cannotListen, .cannotStart, .noPicture, .stopped: 71
        case .invalidID, .reservedID, .duplicateID, .unknownLayer, .unknownLayerInMap, .layerInUse, .invalidValue,
            .layerNotMade, .tooManyLayers, .tooManyTiles, .invalidCoordinate, .invalidScale, .invalidPicture:
            78
        }
    }
}
