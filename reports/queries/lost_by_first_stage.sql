-- Which relevant documents reach the top ten of the reranker although one of the two first-stage lists missed them?
SELECT dataset, variant, count(*) AS relevant_in_top_10,
       count(*) FILTER (WHERE dense_rank IS NULL) AS only_bm25_found,
       count(*) FILTER (WHERE bm25_rank IS NULL) AS only_dense_found
FROM rankings
SEMI JOIN latest_runs USING (dataset, run_id, protocol)
WHERE gain > 0 AND rank <= 10
GROUP BY dataset, variant
ORDER BY dataset, variant;
