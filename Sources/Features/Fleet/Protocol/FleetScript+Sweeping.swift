/// How the script removes rows of layers that no node serves any more.
///
/// Each node says once an hour which layers it serves (`FleetRequest.sweep`). Redis counts the days on which a node said so, and keeps
/// in the hash `served` the day on which a node named a layer last. The fields `:date` and `:day` of that hash are the last date, in days
/// since 1970, and the count. The count goes up by one when the date changes, so a clock that jumps a year ahead counts as one day.
///
/// The field `::` of the rows joins all rows that were removed. A layer without a row counts as having that number, so a node that
/// comes back with old tiles of it clears them.
extension FleetScript {
    /// Days after which a row is removed.
    package static let unservedDays = 7

    static let sweeping = """
        local function countedDay()
          local date = string.format('%.0f', math.floor(tonumber(time[1]) / 86400))
          local known = redis.call('HMGET', served, ':date', ':day')
          local day = tonumber(known[2]) or 0
          if known[1] ~= date then
            day = day + 1
            redis.call('HSET', served, ':date', date, ':day', string.format('%.0f', day))
          end
          return day
        end

        -- A row that a wrong clock has left is kept: all layers without a row would follow it.
        local function isAhead(row)
          local most = tonumber(time[1]) + 86400
          return row ~= nil and (row[1] > most or row[2] / 1000 > most or row[4] / 1000 > most)
        end

        -- Removes the rows of one page that nobody has served for so many days. Answers the next page.
        local function removeRows(day, cursor)
          local page = redis.call('HSCAN', rows, cursor, 'COUNT', 500)
          local sum = removed()
          for i = 1, #page[2], 2 do
            local layer, value = page[2][i], page[2][i + 1]
            if layer ~= ':' and layer ~= '::' then
              local seen = tonumber(redis.call('HGET', served, layer))
              if not seen or seen > day then
                redis.call('HSET', served, layer, string.format('%.0f', day))
              elseif day - seen > \(unservedDays) and not isAhead(parsed(value)) then
                sum = joined(sum, parsed(value) or none)
                redis.call('HDEL', rows, layer)
                redis.call('HDEL', served, layer)
                silent[#silent + 1] = layer
              end
            end
          end
          if #silent > 0 then redis.call('HSET', rows, '::', text(sum)) end
          announce()
          return page[1]
        end

        -- An old node does not say what it serves.
        local function sweep(cursor, first)
          if isMixed then return '0' end
          local day = countedDay()
          for i = first, #ARGV do redis.call('HSET', served, ARGV[i], string.format('%.0f', day)) end
          if cursor == '' then return '0' end
          return removeRows(day, cursor)
        end
        """
}
