-- The tasks of an owner: one sorted set by their places, one by the time when they are forgotten.
local places, tills = KEYS[1], KEYS[2]
for _, id in ipairs(redis.call('ZRANGEBYSCORE', tills, '-inf', text(now))) do
    redis.call('ZREM', places, id)
    redis.call('ZREM', tills, id)
end
