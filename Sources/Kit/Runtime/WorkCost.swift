/// How many seconds of a thread's time a piece of a layer takes. Of long pieces many are cut short, of others few: more counts an
/// eighth, and less a thirty-second, once there are eight pieces.
struct WorkCost {
    static let least = 0.00001

    /// On average.
    private(set) var seconds: Double
    /// The average of their squares; of the first eight that of the average alone, since the first may have paid for what is
    /// made once.
    private var squares: Double
    private var count = 1.0

    init(_ seconds: Double) {
        self.seconds = max(seconds, Self.least)
        squares = self.seconds * self.seconds
    }

    /// The piece that one who comes while a piece runs finds before it, on average: where one of fifty takes long, whoever waits
    /// mostly waits for that one.
    var found: Double { squares / seconds }

    /// One piece that was slow, as when the machine was busy with something else, does not make a layer slow.
    mutating func note(_ latest: Double) {
        count += 1
        let latest = min(latest, 4 * found)
        let weight = count < 8 ? count : latest < seconds ? 32 : 8
        seconds += (latest - seconds) / weight
        squares = count < 8 ? seconds * seconds : squares + (latest * latest - squares) / weight
    }
}
