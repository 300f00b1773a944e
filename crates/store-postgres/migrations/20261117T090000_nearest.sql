-- The numbers of a vector as an array, which is what pgvector takes one from. An index over this is
-- created where the extension is there; nothing else knows of it, so it may come and go. Spelled out
-- number by number: the planner puts that in place of the call, and no call is as fast.
DO $$
BEGIN
    EXECUTE format(
        'CREATE FUNCTION search_numbers(numbers BYTEA) RETURNS INTEGER[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
            RETURN ARRAY[%s]',
        (SELECT string_agg(format('(get_byte(numbers, %s) # 128) - 128', i), ', ' ORDER BY i)
            FROM generate_series(0, 255) AS i));
END $$;
