local found = till()
local owner = redis.call('HGET', KEYS[1], 'owner')
redis.call('DEL', KEYS[1])
return { found and 1 or 0, owner or false }
