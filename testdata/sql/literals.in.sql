SELECT origin, crew FROM flights
WHERE delay > -9223372036854775808 AND 9223372036854775807 > delay AND distance <> 0 AND distance != -0
  AND origin != 'O''Hare' AND destination != 'São Paulo' AND origin != 'a​b'
  AND origin != '-- /* ; " # ' AND NOT cancelled AND FALSE = cancelled AND crew IS NOT NULL AND date IS NOT NULL
