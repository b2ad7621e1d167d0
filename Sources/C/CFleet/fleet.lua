#!lua flags=allow-oom
-- The clock, the stream's last entry, and the nodes that are there.
local rows, bus, nodes, served = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local me = ARGV[3]
local time = redis.call('TIME')
local now = math.max(tonumber(time[1]), tonumber(ARGV[2]))
local ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local horizon = now + 315360000

-- Nothing behind an insane id would be believed, nor an id that could be given after it.
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

local function isGone(name, value)
  local seen = tonumber(string.match(value, '^(%d+) '))
  return #name + #value > 256 or not seen or math.abs(seen - ms) > 300000
end

-- Nodes of before the rule that each change of a row stands in the stream.
local isMixed, wasOld = false, false
local present = redis.call('HGETALL', nodes)
for i = 1, #present, 2 do
  if not string.find(present[i + 1], '#2$') and not isGone(present[i], present[i + 1]) then
    if present[i] == me then wasOld = true else isMixed = true end
  end
end

-- Rows: generation, clear (milliseconds, sequence), purge (milliseconds, sequence).

local function later(am, as, bm, bs)
  return am > bm or (am == bm and as > bs)
end

local function text(row)
  return string.format('%.0f %.0f-%.0f %.0f-%.0f', unpack(row))
end

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

-- What the node says. A generation that a wrong clock has left is the node's own matter.
local function said(value)
  local row = parsed((string.gsub(value, '^%d+', function(generation)
    if tonumber(generation) > horizon then return '0' end
  end)))
  return row or {0, 0, 0, 0, 0}
end

local function joined(a, b)
  local row = {math.max(a[1], b[1]), a[2], a[3], a[4], a[5]}
  if later(b[2], b[3], a[2], a[3]) then row[2], row[3] = b[2], b[3] end
  if later(b[4], b[5], a[4], a[5]) then row[4], row[5] = b[4], b[5] end
  return row
end

local removedRows
local function removed()
  removedRows = removedRows or parsed(redis.call('HGET', rows, '::')) or {0, 0, 0, 0, 0}
  return removedRows
end

local function known(value)
  return parsed(value) or removed()
end

-- Whether nodes may take the row for another one.
local function isLost(value)
  return not parsed(value) and (value or text(removed()) ~= '0 0-0 0-0')
end

-- The values of the layers that the arguments name from `first` on, each before what the node says of it.
local function values(first)
  local all = {}
  for start = first, #ARGV, 2000 do
    local names = {}
    for i = start, math.min(start + 1999, #ARGV), 2 do names[#names + 1] = ARGV[i] end
    for _, value in ipairs(redis.call('HMGET', rows, unpack(names))) do all[#all + 1] = value end
  end
  return all
end

-- What writes into the stream.
local none = {0, 0, 0, 0, 0}
local isPosted = false

-- Messages are forgotten by their number, and, where lists make them large, by their bytes.
local function trim(fields)
  local size = 0
  for _, field in ipairs(fields) do size = size + #field end
  if size < 4096 then return end
  local usage = redis.pcall('MEMORY', 'USAGE', bus)
  if type(usage) == 'number' and usage > 16777216 then
    redis.call('XTRIM', bus, 'MAXLEN', '~', math.ceil(redis.call('XLEN', bus) / 2))
  end
end

-- Later than everything that is known of the row, whatever the clock says.
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

-- Says of which layers the rows have changed more than messages tell.
local silent = {}
local function announce()
  if isMixed or #silent == 0 then return end
  local layers = #silent > 500 and '*' or table.concat(silent, ' ')
  add(none, {'kind', 'rows', 'node', me, 'layers', layers})
  silent = {}
end

-- Rows and stream that do not go together, or rows that an old node has changed.
local mark = redis.call('HGET', rows, ':')
local isBroken = isMixed or wasOld or mark ~= last or last == '0-0'
if isMixed then
  if mark ~= '' then redis.call('HSET', rows, ':', '') end
elseif isBroken then
  add(none, {'kind', 'rows', 'node', me, 'layers', '*'})
end

-- What clears.

local function clearOne(name, layer, row)
  row[1] = math.max(row[1] + 1, now)
  local generation, id = string.format('%.0f', row[1])
  row[2], row[3], id = add(row, {
    'kind', 'clear', 'layer', layer, 'node', me, 'name', name, 'generation', generation})
  redis.call('HSET', rows, layer, text(row))
  return string.format('%s %s %s', layer, generation, id)
end

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

-- One generation and one id for all, but for layers that are a day ahead of the clock: all others would follow them. Answers
-- nothing, and does nothing, where a node is there that knows no such message.
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

-- What puts a node's numbers and those of Redis together.

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

-- The entries behind `after`, whether there are more, and whether `after` itself is there: else some may be lost.
local function entries(after)
  if after == '' then return {}, 0, false end
  local all = redis.call('XRANGE', bus, after, '+', 'COUNT', 258)
  local isFound = all[1] ~= nil and all[1][1] == after
  local taken, size = {}, 0
  for i = isFound and 2 or 1, #all do
    local entry, own = all[i], 0
    for _, value in ipairs(entry[2]) do own = own + #value end
    -- No message is so large: its id alone is passed on, so that it holds up nobody.
    if own > 262144 then own, entry[2] = 0, {} end
    size = size + own
    if #taken == 256 or (size > 1048576 and #taken > 0) then return taken, 1, isFound end
    taken[#taken + 1] = entry
  end
  return taken, 0, isFound
end

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

-- What removes rows of layers that no node serves any more. Each node says once an hour which layers it serves. Redis counts the days on
-- which a node said so, and keeps in the hash `served` the day on which a node named a layer last. The fields `:date` and `:day` of that
-- hash are the last date, in days since 1970, and the count. The count goes up by one when the date changes, so a clock that jumps a year
-- ahead counts as one day.
--
-- The field `::` of the rows joins all rows that were removed. A layer without a row counts as having that number, so a node that comes
-- back with old tiles of it clears them.
local unservedDays = 7

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

-- An old node does not say what it serves.
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
