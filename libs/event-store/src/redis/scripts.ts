/**
 * Keeps an entry unless one of a newer revision is there, notes when it lapses in an index of all entries, and drops the
 * oldest beyond the capacity; one step for whoever else asks. Revisions are text of one length, so they compare as text.
 *
 * KEYS: the entry, the index. ARGV: revision, sealed rest, lease in ms, capacity. Answers 1, or 0 where a newer one is.
 */
export const PUT = `
local kept = redis.call('GETRANGE', KEYS[1], 0, #ARGV[1] - 1)
if kept > ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1] .. ARGV[2], 'PX', ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', string.format('%.0f', now))
redis.call('ZADD', KEYS[2], string.format('%.0f', now + ARGV[3] * 1000), KEYS[1])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
local over = redis.call('ZCARD', KEYS[2]) - ARGV[4]
if over > 0 then
  local oldest = redis.call('ZPOPMIN', KEYS[2], over)
  for i = 1, #oldest, 2 do redis.call('UNLINK', oldest[i]) end
end
return 1
`;

/** Drops every entry in the index, and the index. KEYS: the index. Answers how many there were. */
export const PURGE = `
local entries = redis.call('ZRANGE', KEYS[1], 0, -1)
for _, entry in ipairs(entries) do redis.call('UNLINK', entry) end
redis.call('UNLINK', KEYS[1])
return #entries
`;
