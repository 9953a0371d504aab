SELECT *, lower(origin) AS o, count(*) AS n, delay minutes, Distance, f.date, "crew", 'x' AS x
FROM flights f
LEFT JOIN airports a ON a.code = f.origin, runways
WHERE (delay > 1.5 OR cancelled IS TRUE)
  AND delay BETWEEN 1 AND 5 AND origin IN ('LAX', 'SFO') AND date LIKE '2024%' AND distance = NULL
  AND NOT cancelled = TRUE AND delay > +5 AND distance == 01 AND origin = destination -- the last one
GROUP BY origin HAVING n > 5 ORDER BY n DESC LIMIT 10 OFFSET 5;
SELECT origin FROM flights
