SELECT order_id, amount
FROM {{ ref("large_orders") }}
WHERE amount > 10000;
