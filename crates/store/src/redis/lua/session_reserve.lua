-- Takes a place among the sessions of an owner. The scores say until when each is known to be kept; one that has been used since
-- is kept longer, so those that are overdue are handed to the caller, who asks for them where they are.
local owner, id, idle, limit = KEYS[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local live = redis.call('ZCOUNT', owner, '(' .. text(now), '+inf')
local overdue = redis.call('ZRANGEBYSCORE', owner, '-inf', text(now))
if live + #overdue < limit then
    local added = redis.call('ZADD', owner, 'NX', text(now + idle), id)
    -- The index has to outlive the sessions in it, which may be used for long after they were added, but not for ever.
    forget_at(owner, now + math.max(idle, 30 * 86400000))
    return { 1, added, {} }
end
if live >= limit then
    return { 0, 0, {} }
end
return { 2, 0, overdue }
