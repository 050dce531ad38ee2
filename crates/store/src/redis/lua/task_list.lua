return redis.call('ZRANGEBYSCORE', places, '(' .. ARGV[2], '+inf', 'WITHSCORES', 'LIMIT', 0, ARGV[3])
