import RedisClient

/// The Lua scripts that take, renew and release the lock of a tile's fetch. The scripts run even if Redis is full,
/// because they store few bytes: keys that expire soon, and a short stream.
enum LockScript {
    /// Looks for the tile, and takes the tile's lock if the tile is missing.
    ///
    /// Keys: the lock, the count of waiting nodes, the tile. Arguments: a token, which begins with the prefix of its
    /// node; the lock's lifetime in milliseconds; the node's prefix; 1 to skip the look for the tile; the index of the
    /// last byte to read of the tile's value; 1 if the fetch has not waited yet.
    ///
    /// Returns `{2, tile}` if the tile exists, `{3}` if the tile's key holds another kind of value, `{1}` if the token
    /// now holds the lock, and `{0}` if another node holds it. Returns the error of Redis if the tile cannot be read. A
    /// node takes over its own old lock: that fetch has ended, a clear has overtaken it, or the grant was lost.
    static let acquire = RedisScript(
        """
        #!lua flags=allow-oom
        local lock, waiting, tile = KEYS[1], KEYS[2], KEYS[3]
        local token, life, own = ARGV[1], ARGV[2], ARGV[3]
        if ARGV[4] ~= '1' then
          local value = redis.pcall('GETRANGE', tile, 0, ARGV[5])
          if type(value) == 'table' then
            if string.sub(value.err, 1, 9) ~= 'WRONGTYPE' then return value end
            return {3}
          end
          if #value > 0 then return {2, value} end
        end
        local holder = redis.call('GET', lock)
        if not holder or string.sub(holder, 1, #own) == own then
          redis.call('SET', lock, token, 'PX', life)
          return {1}
        end
        -- A lock without an end has no living holder.
        if redis.call('PTTL', lock) < 0 then redis.call('PEXPIRE', lock, life) end
        if ARGV[6] == '1' or redis.call('EXISTS', waiting) == 0 then redis.call('INCR', waiting) end
        -- A node of an older version waits for longer.
        if redis.call('PTTL', waiting) < 2000 then redis.call('PEXPIRE', waiting, 2000) end
        return {0}
        """)

    /// Renews locks. Keys: the locks. Arguments: the lifetime in milliseconds, then the token of each lock. The lock of
    /// another holder stays unchanged.
    static let renew = RedisScript(
        """
        #!lua flags=allow-oom
        for index, lock in ipairs(KEYS) do
          if redis.pcall('GET', lock) == ARGV[index + 1] then redis.call('PEXPIRE', lock, ARGV[1]) end
        end
        return #KEYS
        """)

    /// Releases the lock if no node waits. Keys: the lock, the count of waiting nodes. Argument: the token. Returns 0
    /// if another token holds the lock. Returns 1 if nodes wait: the caller stores a tile that is kept, and runs
    /// `announce`, which releases the lock. Otherwise deletes the lock and returns 0. Other nodes may wait for this
    /// fetch even if its lock has expired.
    static let release = RedisScript(
        """
        #!lua flags=allow-oom
        local holder = redis.call('GET', KEYS[1])
        if holder and holder ~= ARGV[1] then return 0 end
        if redis.call('EXISTS', KEYS[2]) == 1 then return 1 end
        redis.call('DEL', KEYS[1])
        return 0
        """)

    /// Releases the lock and tells the waiting nodes. Keys: the lock, the count of waiting nodes, the stream.
    /// Arguments: the token, the tile's name.
    static let announce = RedisScript(
        """
        #!lua flags=allow-oom
        if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
        redis.call('DEL', KEYS[2])
        redis.call('XADD', KEYS[3], 'MAXLEN', '~', '256', '*', 't', ARGV[2])
        return 1
        """)
}
