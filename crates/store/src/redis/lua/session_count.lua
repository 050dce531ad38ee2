local live = redis.call('ZCOUNT', KEYS[1], '(' .. text(now), '+inf')
return { live, redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', text(now)) }
