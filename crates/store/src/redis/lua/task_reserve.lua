local id, ttl, limit = ARGV[2], ARGV[3], tonumber(ARGV[4])
if redis.call('ZCARD', places) >= limit then
    return { 0, text(now) }
end
-- A place is never used again, also when all of them have been forgotten.
local last = redis.call('ZREVRANGE', places, 0, 0, 'WITHSCORES')[2]
local place = math.max(tonumber(last or '0') + 1, now * 1000)
if redis.call('ZADD', places, 'NX', text(place), id) == 0 then
    return { 2, text(now) }
end
redis.call('ZADD', tills, ttl == '' and '+inf' or text(now + tonumber(ttl)), id)
local till = redis.call('ZREVRANGE', tills, 0, 0, 'WITHSCORES')[2]
if till == 'inf' then
    redis.call('PERSIST', places)
    redis.call('PERSIST', tills)
else
    forget_at(places, tonumber(till))
    forget_at(tills, tonumber(till))
end
return { 1, text(now) }
