-- How much of each variant's nDCG@10 is decided by the order of equal scores, and not by the retriever?
SELECT dataset, protocol, variant, n, n_undecided, value, pessimistic, expected, optimistic,
       optimistic - pessimistic AS width
FROM ties
SEMI JOIN latest_runs USING (dataset, run_id)
WHERE block = 'main' AND measure = 'nDCG@10'
ORDER BY dataset, width DESC, protocol, variant;
