return live(redis.call('GET', KEYS[1])) or false
