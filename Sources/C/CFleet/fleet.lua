#!lua flags=allow-oom
-- Read the clock, the stream's last entry, and the nodes that are present. `ms` is Redis' clock in milliseconds. `now`
-- is the later of Redis' and the node's clock, in seconds. Numbers later than `horizon`, ten years ahead, come from a
-- wrong clock and are not believed.
local rows, bus, nodes, served = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local me = ARGV[3]
local time = redis.call('TIME')
local now = math.max(tonumber(time[1]), tonumber(ARGV[2]))
local ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local horizon = now + 315360000

-- Empty the stream if its last id is more than ten years ahead, or Lua cannot count beyond the id's sequence. Every
-- later id would have to be greater, and no node would believe such an id.
local last = '0-0'
local newest = redis.call('XREVRANGE', bus, '+', '-', 'COUNT', 1)
if newest[1] then
  last = newest[1][1]
  local m, s = string.match(last, '^(%d+)%-(%d+)$')
  if tonumber(m) / 1000 > horizon or tonumber(s) >= 9007199254740991 then
    redis.call('DEL', bus)
    last = '0-0'
  end
end

-- Reports whether the time in a node's row is more than five minutes from the clock, or the row is unreadable or too
-- long.
local function isGone(name, value)
  local seen = tonumber(string.match(value, '^(%d+) '))
  return #name + #value > 256 or not seen or math.abs(seen - ms) > 300000
end

-- A row without `#2` belongs to a node of an older version, which changes rows without an entry in the stream.
-- `isMixed` is true if such a node is present, other than this node. `wasOld` is true if this node's present row lacks
-- `#2`.
local isMixed, wasOld = false, false
local present = redis.call('HGETALL', nodes)
for i = 1, #present, 2 do
  if not string.find(present[i + 1], '#2$') and not isGone(present[i], present[i + 1]) then
    if present[i] == me then wasOld = true else isMixed = true end
  end
end

-- A row is a list of five numbers: generation, clear (milliseconds, sequence), purge (milliseconds, sequence).

-- Reports whether id a is later than id b.
local function later(am, as, bm, bs)
  return am > bm or (am == bm and as > bs)
end

-- Returns the value of a row in the hash.
local function text(row)
  return string.format('%.0f %.0f-%.0f %.0f-%.0f', unpack(row))
end

-- Returns the row of a value. Returns nil if the value is missing, unreadable, or too far ahead.
local function parsed(value)
  if not value then return nil end
  local row = {string.match(value, '^(%d+) (%d+)%-(%d+) (%d+)%-(%d+)$')}
  if #row ~= 5 then return nil end
  for i = 1, 5 do
    row[i] = tonumber(row[i])
    if row[i] >= 9007199254740992 then return nil end
  end
  if row[1] > horizon or row[2] / 1000 > horizon or row[4] / 1000 > horizon then return nil end
  return row
end

-- Returns the row that the node has sent. A generation too far ahead counts as 0, so it stays on that node. A row that
-- `parsed` refuses counts as zeros.
local function said(value)
  local row = parsed((string.gsub(value, '^%d+', function(generation)
    if tonumber(generation) > horizon then return '0' end
  end)))
  return row or {0, 0, 0, 0, 0}
end

-- Returns the row with the greater generation, the later clear and the later purge.
local function joined(a, b)
  local row = {math.max(a[1], b[1]), a[2], a[3], a[4], a[5]}
  if later(b[2], b[3], a[2], a[3]) then row[2], row[3] = b[2], b[3] end
  if later(b[4], b[5], a[4], a[5]) then row[4], row[5] = b[4], b[5] end
  return row
end

-- Returns the row that joins all removed rows, from the field `::`.
local removedRows
local function removed()
  removedRows = removedRows or parsed(redis.call('HGET', rows, '::')) or {0, 0, 0, 0, 0}
  return removedRows
end

-- Returns the row that Redis knows. A layer without a readable row has the row of `removed`.
local function known(value)
  return parsed(value) or removed()
end

-- Reports whether a row is unreadable, or missing while a removed row counts in its place. Nodes may then assume
-- another row.
local function isLost(value)
  return not parsed(value) and (value or text(removed()) ~= '0 0-0 0-0')
end

-- Returns Redis' values of the layers in the arguments from `first` on. There, the name of each layer is followed by
-- the node's value.
local function values(first)
  local all = {}
  for start = first, #ARGV, 2000 do
    local names = {}
    for i = start, math.min(start + 1999, #ARGV), 2 do names[#names + 1] = ARGV[i] end
    for _, value in ipairs(redis.call('HMGET', rows, unpack(names))) do all[#all + 1] = value end
  end
  return all
end

-- Functions that write into the stream.
local none = {0, 0, 0, 0, 0}
local isPosted = false

-- Removes about half of the stream if it exceeds 16 MiB. XADD limits the number of entries, but a few long lists of
-- layers take much memory. Only an entry of at least 4 KiB makes this check.
local function trim(fields)
  local size = 0
  for _, field in ipairs(fields) do size = size + #field end
  if size < 4096 then return end
  local usage = redis.pcall('MEMORY', 'USAGE', bus)
  if type(usage) == 'number' and usage > 16777216 then
    redis.call('XTRIM', bus, 'MAXLEN', '~', math.ceil(redis.call('XLEN', bus) / 2))
  end
end

-- Writes an entry into the stream and returns its id, as two numbers and as text. The id is later than the row's
-- `clear` and `purge`, even if the clock was set back.
local function add(row, fields)
  local m, s = row[2], row[3]
  if later(row[4], row[5], m, s) then m, s = row[4], row[5] end
  local added
  if m >= ms then
    local id = string.format('%.0f-%.0f', m, s + 1)
    added = redis.pcall('XADD', bus, 'MAXLEN', '~', '10000', id, unpack(fields))
  end
  if type(added) ~= 'string' then
    added = redis.call('XADD', bus, 'MAXLEN', '~', '10000', '*', unpack(fields))
  end
  trim(fields)
  last, isPosted = added, true
  m, s = string.match(added, '^(%d+)%-(%d+)$')
  return tonumber(m), tonumber(s), added
end

-- Writes an entry that names the layers whose rows have changed without another entry. More than 500 layers become `*`,
-- which means all.
local silent = {}
local function announce()
  if isMixed or #silent == 0 then return end
  local layers = #silent > 500 and '*' or table.concat(silent, ' ')
  add(none, {'kind', 'rows', 'node', me, 'layers', layers})
  silent = {}
end

-- `isBroken` is true if the rows and the stream may not match, or an older node may have changed rows. Nodes then have
-- to compare all rows again, so write an entry that says so. While an older node is present, empty the field `:`
-- instead.
local mark = redis.call('HGET', rows, ':')
local isBroken = isMixed or wasOld or mark ~= last or last == '0-0'
if isMixed then
  if mark ~= '' then redis.call('HSET', rows, ':', '') end
elseif isBroken then
  add(none, {'kind', 'rows', 'node', me, 'layers', '*'})
end

-- Clears and purges.

-- Clears a layer with its own generation and entry. Returns the layer, the generation and the id.
local function clearOne(name, layer, row)
  row[1] = math.max(row[1] + 1, now)
  local generation, id = string.format('%.0f', row[1])
  row[2], row[3], id = add(row, {
    'kind', 'clear', 'layer', layer, 'node', me, 'name', name, 'generation', generation})
  redis.call('HSET', rows, layer, text(row))
  return string.format('%s %s %s', layer, generation, id)
end

-- Clears the layers in the arguments one by one.
local function clear(name, first)
  local answers, there = {}, values(first)
  for i = first, #ARGV, 2 do
    local layer, value = ARGV[i], there[(i - first) / 2 + 1]
    local before = known(value)
    local row = joined(said(ARGV[i + 1]), before)
    if later(row[4], row[5], before[4], before[5]) or isLost(value) then
      silent[#silent + 1] = layer
    end
    answers[#answers + 1] = clearOne(name, layer, row)
  end
  announce()
  return answers
end

-- Clears the layers in the arguments with one generation, one id and one entry. A layer whose generation is more than a
-- day ahead of `now` is cleared separately, because all other layers would get its generation otherwise. At most 400
-- layers are cleared separately. Returns an empty list and does nothing if an older node is present, because that node
-- cannot read such an entry.
local function clears(name, first)
  if isMixed then return {} end
  local names, all, ahead, there = {}, {}, {}, values(first)
  local generation, floor = now, {0, 0, 0, 0, 0}
  for i = first, #ARGV, 2 do
    local layer, value = ARGV[i], there[(i - first) / 2 + 1]
    local row = parsed(value)
    if value ~= ARGV[i + 1] or not row then
      local before = row or removed()
      row = joined(said(ARGV[i + 1]), before)
      if later(row[4], row[5], before[4], before[5]) or isLost(value) then
        silent[#silent + 1] = layer
      end
    end
    if row[1] > now + 86400 and #ahead < 400 then
      ahead[#ahead + 1] = clearOne(name, layer, row)
    else
      generation = math.max(generation, row[1] + 1)
      floor = joined(floor, row)
      names[#names + 1], all[#all + 1] = layer, row
    end
  end
  announce()
  if #names == 0 then return ahead end
  local number = string.format('%.0f', generation)
  local _, _, id = add(floor, {
    'kind', 'clears', 'node', me, 'name', name, 'generation', number, 'layers', table.concat(names, ' ')})
  local head = number .. ' ' .. id .. ' '
  for start = 1, #names, 1000 do
    local fields = {}
    for i = start, math.min(start + 999, #names) do
      local row = all[i]
      fields[#fields + 1] = names[i]
      fields[#fields + 1] = head .. string.format('%.0f-%.0f', row[4], row[5])
    end
    redis.call('HSET', rows, unpack(fields))
  end
  ahead[#ahead + 1] = string.format('* %s %s', number, id)
  return ahead
end

-- Gives the purge of a part of each layer in the arguments an id and an entry. Returns the layers with their previous
-- purges and new ids.
local function purge(name, soft, area, first)
  local answers, there = {}, values(first)
  for i = first, #ARGV, 2 do
    local layer, value = ARGV[i], there[(i - first) / 2 + 1]
    local before = known(value)
    local row = joined(said(ARGV[i + 1]), before)
    if row[1] > before[1] or later(row[2], row[3], before[2], before[3]) or isLost(value) then
      silent[#silent + 1] = layer
    end
    local previous = string.format('%.0f-%.0f', row[4], row[5])
    local id
    row[4], row[5], id = add(row, {
      'kind', 'purge', 'layer', layer, 'node', me, 'name', name, 'previous', previous,
      'soft', soft, 'area', area})
    redis.call('HSET', rows, layer, text(row))
    answers[#answers + 1] = string.format('%s %s %s', layer, previous, id)
  end
  announce()
  return answers
end

-- Exchange of numbers between a node and Redis.

-- Writes the node's row. Removes the rows of nodes that are gone, and of nodes beyond 500. Returns the remaining nodes.
local function register(position, about)
  local own = string.format('%.0f %s %s#2', ms, position, about)
  redis.call('HSET', nodes, me, own)
  local answers = {string.format('%s %s', me, own)}
  for i = 1, #present, 2 do
    if present[i] ~= me then
      if isGone(present[i], present[i + 1]) or #answers == 500 then
        redis.call('HDEL', nodes, present[i])
      else
        answers[#answers + 1] = string.format('%s %s', present[i], present[i + 1])
      end
    end
  end
  return answers
end

-- Returns up to 256 entries of together up to 1 MiB after the id `after`, then 1 if there are more, then whether the
-- entry `after` itself is present. If it is missing, later entries may be missing too.
local function entries(after)
  if after == '' then return {}, 0, false end
  local all = redis.call('XRANGE', bus, after, '+', 'COUNT', 258)
  local isFound = all[1] ~= nil and all[1][1] == after
  local taken, size = {}, 0
  for i = isFound and 2 or 1, #all do
    local entry, own = all[i], 0
    for _, value in ipairs(entry[2]) do own = own + #value end
    -- No valid message is larger than 256 KiB. Return only the entry's id, so that nodes continue after it.
    if own > 262144 then own, entry[2] = 0, {} end
    size = size + own
    if #taken == 256 or (size > 1048576 and #taken > 0) then return taken, 1, isFound end
    taken[#taken + 1] = entry
  end
  return taken, 0, isFound
end

-- Joins the node's rows with the rows of Redis. Returns the stream's last id, the time, 1 if more entries follow, the
-- rows that are greater in Redis, the nodes, new entries of the stream, and `step`: 1 if the node may have missed a
-- change and must send all rows, 2 if an older node is present, otherwise 0.
local function merge(about, after, applied, first)
  local answers, there = {}, values(first)
  for i = first, #ARGV, 2 do
    local layer, told, value = ARGV[i], ARGV[i + 1], there[(i - first) / 2 + 1]
    if value ~= told or not parsed(value) then
      local own = said(told)
      local row = joined(own, known(value))
      local line = text(row)
      if line ~= value then
        redis.call('HSET', rows, layer, line)
        if line ~= '0 0-0 0-0' then silent[#silent + 1] = layer end
      end
      if line ~= text(own) then answers[#answers + 1] = layer .. ' ' .. line end
    end
  end
  announce()
  local taken, more, isFound = entries(after)
  local step = 0
  if isBroken or not isFound then step = 1 end
  if isMixed then step = 2 end
  if applied == '' then applied = '0-0' end
  return {last, ms, more, answers, register(applied, about), taken, step}
end

-- Removal of rows of layers that no node serves any more. Once an hour, and after it has added layers, each node names
-- the layers that it serves. Redis counts the days on which any node did so. The hash `served` has the last of these
-- days for each layer. Its field `:date` is the last date, in days since 1970, and `:day` is the count. The count grows
-- by one when the date changes, so a clock that jumps a year ahead counts as one day.
--
-- The field `::` of the rows joins all removed rows. A layer without a row counts as having the row `::`. So a node
-- that returns with old tiles of such a layer clears them.
local unservedDays = 7

-- Returns the count of days, which grows if the date has changed.
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

-- Reports whether a time in the row is more than a day ahead. Such a row is kept. Removing it would join it into `::`,
-- and so give its numbers to every layer without a row.
local function isAhead(row)
  local most = tonumber(time[1]) + 86400
  return row ~= nil and (row[1] > most or row[2] / 1000 > most or row[4] / 1000 > most)
end

-- Removes the rows of one page of HSCAN whose layers no node has served for more than `unservedDays` counted days,
-- except rows that are ahead. Returns the cursor of the next page.
local function removeRows(day, cursor)
  local page = redis.call('HSCAN', rows, cursor, 'COUNT', 500)
  local sum = removed()
  for i = 1, #page[2], 2 do
    local layer, value = page[2][i], page[2][i + 1]
    if layer ~= ':' and layer ~= '::' then
      local seen = tonumber(redis.call('HGET', served, layer))
      if not seen or seen > day then
        redis.call('HSET', served, layer, string.format('%.0f', day))
      elseif day - seen > unservedDays and not isAhead(parsed(value)) then
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

-- Notes the layers that the node serves, then removes rows of one page if there is a cursor. Does nothing while an
-- older node is present, because such a node does not name its layers.
local function sweep(cursor, first)
  if isMixed then return '0' end
  local day = countedDay()
  for i = first, #ARGV do redis.call('HSET', served, ARGV[i], string.format('%.0f', day)) end
  if cursor == '' then return '0' end
  return removeRows(day, cursor)
end

local answer
if ARGV[1] == 'clear' then answer = clear(ARGV[4], 5)
elseif ARGV[1] == 'clears' then answer = clears(ARGV[4], 5)
elseif ARGV[1] == 'purge' then answer = purge(ARGV[4], ARGV[5], ARGV[6], 7)
elseif ARGV[1] == 'sweep' then answer = sweep(ARGV[4], 5)
else answer = merge(ARGV[4], ARGV[5], ARGV[6], 7) end
if isPosted and not isMixed then redis.call('HSET', rows, ':', last) end
return answer
