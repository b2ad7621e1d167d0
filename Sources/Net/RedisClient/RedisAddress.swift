/// Where a Redis server is, and as whom to talk to it.
package struct RedisAddress: Sendable, Equatable {
    /// A name, an IPv4 address, or an IPv6 address without brackets.
    package var host: String
    package var port: UInt16
    /// Nil: Redis' default user.
    package var user: String?
    /// Nil: Redis asks for none.
    package var password: String?
    /// The number of the database, 0 or more.
    package var database: Int

    package init(
        host: String, port: UInt16 = 6_379, user: String? = nil, password: String? = nil, database: Int = 0
    ) {
        self.host = host
        self.port = port
        self.user = user
        self.password = password
        self.database = database
    }
}

extension RedisAddress {
    /// What is said first, the last of which is `PING`: its answer tells whether Redis serves at all.
    var greeting: [RedisCommand] {
        var commands: [RedisCommand] = []
        if let password {
            commands.append(RedisCommand("AUTH", (user.map { [RedisArgument($0)] } ?? []) + [RedisArgument(password)]))
        }
        if database != 0 { commands.append(RedisCommand("SELECT", [RedisArgument(database)])) }
        return commands + [RedisCommand("PING")]
    }
}
