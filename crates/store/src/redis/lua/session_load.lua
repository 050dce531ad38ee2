return till() and redis.call('HGETALL', KEYS[1]) or false
